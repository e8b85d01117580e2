/* SPDX-License-Identifier: GPL-2.0 */
/* Names of C++ and Rust as the source has them. */
#ifndef TLOB_CODE_DEMANGLE_H
#define TLOB_CODE_DEMANGLE_H

#include <stddef.h>

/*
 * The name that the source has for @name, with its parameters but without the type
 * that it returns: "audio::Engine::process(int)". malloc()ed. NULL: @name is not
 * mangled, or memory ran out.
 */
char *demangle(const char *name);

enum name_fit {
	NAME_DIFFERS,
	NAME_ENDS_SO,		/* "process" or "Engine::process(int)" */
	NAME_IS_PLAIN,		/* "audio::Engine::play", but for types: see demangle_plain() */
	NAME_IS,		/* "audio::Engine::process", with or without parameters */
};

/* How @wanted, as the source has it, fits @name, which is mangled. Spaces do not count. */
enum name_fit demangle_fit(const char *name, const char *wanted);

/*
 * A name of Rust as a path, whatever types the mangling has put into it: of
 * "<audio::Engine>::process" and "<audio::Engine as audio::Play>::play" the functions of
 * audio::Engine, of "audio::mix::<u64>" audio::mix. Other names stay as they are.
 * @text: what demangle() returned. Changes it, returns it.
 */
char *demangle_plain(char *text);

#endif /* TLOB_CODE_DEMANGLE_H */
