// SPDX-License-Identifier: GPL-2.0
/* Reading a history: its sessions, and which of them compare would compare. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compare/campaign.h"
#include "history/history.h"
#include "result/comparable.h"
#include "util/error.h"
#include "util/file.h"
#include "util/printable.h"
#include "util/units.h"

const char *history_path(char buf[HISTORY_PATH], const char *dir, const struct session *s, size_t i)
{
	if (i == SIZE_MAX)
		snprintf(buf, HISTORY_PATH, "%.*s/%06u", PATH_MAX, dir, s->number);
	else
		snprintf(buf, HISTORY_PATH, "%.*s/%06u/%03zu.json", PATH_MAX, dir, s->number, i + 1);
	return buf;
}

static void skipped(const char *dir, const char *name, const char *why)
{
	char *shown = printable_dup(name);

	warning("%s/%s: %s: skipped", dir, shown ? shown : "", why);
	free(shown);
}

/* The number of a session's folder, which has no other name; 0: it is not one. */
static unsigned int number_of(const char *name)
{
	char again[16];
	uint64_t n;

	if (count_parse(name, &n) || n > UINT32_MAX)
		return 0;
	snprintf(again, sizeof(again), "%06" PRIu64, n);
	return strcmp(name, again) ? 0 : (unsigned int)n;
}

/* 0; -EINVAL: skipped; -ENOMEM. */
static int read_session(struct session *s, const char *dir, const char *name)
{
	unsigned int number = number_of(name);
	char path[HISTORY_PATH + 16], why[400];
	char *text;
	int err;

	if (!number) {
		skipped(dir, name, "not the folder of a session");
		return -EINVAL;
	}
	snprintf(path, sizeof(path), "%.*s/%s/session.json", PATH_MAX, dir, name);
	err = file_read_regular(path, &text);
	if (err == -ENOMEM)
		return err;
	if (err) {
		snprintf(why, sizeof(why), "session.json: %s", strerror(-err));
	} else {
		err = session_parse(s, text, why, sizeof(why));
		free(text);
	}
	if (err) {
		skipped(dir, name, why);
		return -EINVAL;
	}
	s->number = number;
	return 0;
}

static int add(struct history *h, size_t *room, const char *name)
{
	struct session *at;
	int err;

	if (h->n == *room) {
		*room = *room ? 2 * *room : 64;
		at = reallocarray(h->at, *room, sizeof(*at));
		if (!at)
			return -ENOMEM;
		h->at = at;
	}
	err = read_session(&h->at[h->n], h->dir, name);
	h->n += !err;
	return err == -ENOMEM ? err : 0;
}

static int by_number(const void *a, const void *b)
{
	const struct session *sa = a, *sb = b;

	return (sa->number > sb->number) - (sa->number < sb->number);
}

int history_read(struct history *h, const char *dir, bool create)
{
	struct dirent *entry;
	size_t room = 0;
	int err = 0;
	DIR *d;

	*h = (struct history){ .dir = realpath(dir, NULL) };
	if (!h->dir && create && errno == ENOENT && !mkdir(dir, 0777))
		h->dir = realpath(dir, NULL);
	if (!h->dir)
		return fail(-errno, "%s: %s", dir, strerror(errno));
	d = opendir(h->dir);
	if (!d)
		return fail(-errno, "%s: %s", dir, strerror(errno));
	while (!err && (entry = readdir(d)))
		if (*entry->d_name != '.')
			err = add(h, &room, entry->d_name);
	closedir(d);
	if (h->n)
		qsort(h->at, h->n, sizeof(*h->at), by_number);
	return err ? fail(err, "out of memory") : 0;
}

void history_free(struct history *h)
{
	while (h->n)
		session_free(&h->at[--h->n]);
	free(h->at);
	free(h->dir);
	*h = (struct history){ 0 };
}

struct session *history_find(const struct history *h, unsigned int number)
{
	struct session wanted = { .number = number };

	return h->n ? bsearch(&wanted, h->at, h->n, sizeof(*h->at), by_number) : NULL;
}

int history_state(const struct history *h, const struct session *s, enum session_state *state)
{
	struct session now;
	char name[16];
	int err;

	snprintf(name, sizeof(name), "%06u", s->number);
	err = read_session(&now, h->dir, name);
	if (err)
		return fail(err, "session %u cannot be read again: its verdict is not kept", s->number);
	*state = now.state;
	session_free(&now);
	return 0;
}

static bool has_run(const struct session *s, const struct session_run *run)
{
	size_t i;

	for (i = 0; i < s->nruns; i++)
		if (s->run[i].fingerprint == run->fingerprint && s->run[i].started == run->started)
			return true;
	return false;
}

/* How many runs of @s the session has; *@first: one of them. */
static size_t shared_runs(const struct session *has, const struct session *s, size_t *first)
{
	size_t i, n = 0;

	if (has->key != s->key || (s->deterministic && strcmp(has->build, s->build)))
		return 0;
	for (i = s->nruns; i--;)
		if (has_run(has, &s->run[i])) {
			*first = i;
			n++;
		}
	return n;
}

int history_same(const struct history *h, const struct session *s, char *const files[],
		 struct session **same)
{
	const struct session *some = NULL;
	size_t i, n, first = 0, run = 0;

	for (i = h->n; i--;) {
		n = shared_runs(&h->at[i], s, &first);
		if (n && n == s->nruns && n == h->at[i].nruns) {
			*same = &h->at[i];
			return 0;
		}
		if (n) {
			some = &h->at[i];
			run = first;
		}
	}
	*same = NULL;
	return !some ? 0 : fail(-EEXIST, "%s is a run of session %u already: leave it out, or give the runs of that session alone",
				files[run], some->number);
}

/* What differs between two sessions with other keys, by their first runs. 0, 1 or -errno. */
static int differ(const struct history *h, const struct session *a, const struct session *b)
{
	struct campaign_run ra = { 0 }, rb = { 0 };
	char path[2][HISTORY_PATH], **list = NULL;
	int err = campaign_run_read(&ra, history_path(path[0], h->dir, a, 0));

	if (!err)
		err = campaign_run_read(&rb, history_path(path[1], h->dir, b, 0));
	if (!err)
		err = facts_differ(&list, &ra.r, &rb.r, "", NULL, false);
	campaign_run_free(&ra);
	campaign_run_free(&rb);
	err = err == -ENOMEM ? err : err || list;
	notes_free(list);
	return err;
}

/*
 * The series of the last session before @i with its key or, by the kernels, comparable facts; and
 * with runs as long as its own.
 */
static int series_of(const struct history *h, size_t i)
{
	const struct session *s = &h->at[i];
	unsigned int series;
	size_t k;
	int err;

	for (k = i; k--;)
		if (h->at[k].key == s->key && !session_is_unequal(&h->at[k], s))
			return (int)h->at[k].series;
	/* each series by its last session */
	for (series = h->nseries; series; series--) {
		for (k = i; k-- && h->at[k].series != series;)
			;
		err = session_is_unequal(&h->at[k], s) ? 1 : differ(h, &h->at[k], s);
		if (err <= 0)
			return err ? err : (int)series;
	}
	return 0;
}

int history_sort(struct history *h)
{
	size_t i;
	int found;

	h->nseries = 0;
	for (i = 0; i < h->n; i++) {
		found = series_of(h, i);
		if (found < 0)
			return fail(found, "out of memory");
		h->at[i].series = found ? (unsigned int)found : ++h->nseries;
	}
	return 0;
}
