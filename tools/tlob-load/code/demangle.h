/* SPDX-License-Identifier: GPL-2.0 */
/* Names of C++ and Rust as the source has them. */
#ifndef TLOB_CODE_DEMANGLE_H
#define TLOB_CODE_DEMANGLE_H

/*
 * The name that the source has for @name, with its parameters but without the type
 * that it returns: "audio::Engine::process(int)". malloc()ed. NULL: @name is not
 * mangled, or memory ran out.
 */
char *demangle(const char *name);

enum name_fit {
	NAME_DIFFERS,
	NAME_ENDS_SO,		/* "process" or "Engine::process(int)" */
	NAME_IS,		/* "audio::Engine::process", with or without parameters */
};

/* How @wanted, as the source has it, fits @name, which is mangled. Spaces do not count. */
enum name_fit demangle_fit(const char *name, const char *wanted);

#endif /* TLOB_CODE_DEMANGLE_H */
