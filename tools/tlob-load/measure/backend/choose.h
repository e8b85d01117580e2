/* SPDX-License-Identifier: GPL-2.0 */
/* Choosing the backend of a run, before anything is changed or started. */
#ifndef TLOB_BACKEND_CHOOSE_H
#define TLOB_BACKEND_CHOOSE_H

struct backend;
struct run_config;

/*
 * The backend that @o asks for, or with auto the best one available. *@because
 * (malloc) then says why no better one, or is NULL. 0; -EOPNOTSUPP: it cannot be had,
 * or cannot do what @o asks for; -ENOMEM. Printed.
 */
int backend_choose(const struct run_config *o, const struct backend **chosen,
		   char **because);

/* The same for who needs its name only. */
int backend_choose_name(const struct run_config *o, const char **name);

/* 0 if the backend @name, one of BACKENDS, is available; else -EOPNOTSUPP and @why. */
#define BACKEND_WHY	320		/* bytes of a reason */
int backend_probe(const char *name, char *why, unsigned int size);

/* 0 if the module, which @what needs, is available; else -EOPNOTSUPP, printed. */
int backend_need_tlob(const char *what);

#endif /* TLOB_BACKEND_CHOOSE_H */
