// SPDX-License-Identifier: GPL-2.0
/* Carries a validation out: asks doctor, and makes the runs. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "options/load_presets.h"
#include "options/option_value.h"
#include "read/read.h"
#include "report/progress.h"
#include "util/action.h"
#include "util/claim.h"
#include "util/cpulist.h"
#include "util/file.h"
#include "util/host.h"
#include "util/memstream.h"
#include "util/process.h"
#include "util/signals.h"
#include "util/time.h"
#include "util/units.h"
#include "util/wrap.h"
#include "validate/validate.h"

#define ID_FILE		"validate.id"
#define DOCTOR_FILE	"doctor.json"

/* The text that loads_text() will have for these loads. */
static char *load_text(const struct validate_phase *p)
{
	char *text = NULL;
	const char *program;
	unsigned int i;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (i = 0; i < p->nload; i++) {
		fprintf(f, "%s%s", i ? " + " : "", p->load[i]);
		if (*p->load[i] == '@' && load_preset_command(p->load[i] + 1, &program) && strcmp(program, "stress-ng"))
			fprintf(f, " (%s)", program);
	}
	return memstream_text(f, &text);
}

/* A hash of all that the results depend on, except which loads are installed. */
static int identify(const struct validate *v, struct claim *c)
{
	char *text = NULL, *kernel = host_kernel(), arguments[8192];
	size_t size;
	unsigned int k;
	FILE *f = kernel ? open_memstream(&text, &size) : NULL;
	int i;

	if (!f) {
		free(kernel);
		return fail(-ENOMEM, "out of memory");
	}
	if (file_read_line("/proc/cmdline", arguments, sizeof(arguments)))
		*arguments = 0;
	fprintf(f, "%s\n%s\n", kernel, arguments);
	free(kernel);
	fprintf(f, "%s\n%s", v->doctor.cpus, v->load_cpus ? v->load_cpus : "");
	for (i = 0; i < v->noptions; i++)
		fprintf(f, "\n%s", v->options[i]);
	for (k = 0; k < v->nload; k++)
		fprintf(f, "\n--load=%s", v->load[k]);
	if (fclose(f)) {
		free(text);
		return fail(-ENOMEM, "out of memory");
	}
	claim_identify(c, text);
	free(text);
	return 0;
}

/* A verdict about today must not rest on yesterday's results, unless that is asked for. */
static int claim_dir(const struct validate *v)
{
	struct claim c = { .dir = v->dir, .file = ID_FILE };
	int err = identify(v, &c);

	if (err)
		return err;
	switch (claim_read(&c)) {
	case CLAIM_OTHER:
		return fail(-EEXIST, "%s has results of other options, CPUs, kernel or boot arguments: give another --dir", v->dir);
	case CLAIM_OURS:
		return v->resume ? 0 : fail(-EEXIST, "%s has results already: give --resume to continue them, or another --dir",
					    v->dir);
	default:
		return claim_take(&c);
	}
}

/* A phase that runs. */
struct running {
	const struct validate *v;
	const struct validate_phase *p;
	struct progress progress;
	uint64_t began_ns;
	char	*log;			/* what the run says, beside a line of progress; NULL: stderr */
	FILE	*said;			/* the same, read so far */
	char	line[1024];		/* of it, which has not ended yet */
};

/*
 * Shows the lines that the run has said since, above the line of progress. One that was read in the
 * middle of its write waits for the rest, until nothing more can come: @last.
 */
static void relay(struct running *r, bool last)
{
	size_t len = strlen(r->line);

	if (r->log && !r->said)
		r->said = fopen(r->log, "re");
	if (!r->said)
		return;
	clearerr(r->said);
	while (fgets(r->line + len, (int)(sizeof(r->line) - len), r->said)) {
		len = strlen(r->line);
		if (!len || (r->line[len - 1] != '\n' && len + 1 < sizeof(r->line)))
			continue;
		progress_clear(&r->progress);
		wrap_put(stderr, r->line);
		len = 0;
	}
	r->line[len] = 0;
	if (last && len)
		wrap_print(stderr, "%s\n", r->line);
}

static void tick(void *data)
{
	struct running *r = data;
	char doing[256];

	relay(r, false);
	snprintf(doing, sizeof(doing), "phase %zu of %u, %s", (size_t)(r->p - r->v->phase) + 1, r->v->n, r->p->name);
	progress_step(&r->progress, doing, now_ns() - r->began_ns, r->v->duration_ns);
}

/* Starts the tool and waits for it, with @ticks or NULL. Its exit status, or -errno, printed. */
static int make_call(struct call *c, const char *log, const struct ticks *ticks)
{
	int status = call_error(c);
	pid_t pid;

	if (!status) {
		pid = process_start(c->argv, log);
		status = pid < 0 ? (int)pid : signals_wait_run(pid, ticks);
	}
	call_free(c);
	return status;
}

/* What doctor says is in @file. 0 or -errno, printed. */
static int make_doctor(struct validate *v, const char *file)
{
	struct call c = { 0 };
	int status;

	call_tool(&c, "doctor");
	if (v->cpus)
		call_add(&c, "--cpus=%s", v->cpus);
	call_add(&c, "--json=%s", file);
	call_add(&c, "--quiet");
	/* the runs are on this machine */
	unsetenv("TLOB_ROOT");
	status = make_call(&c, NULL, NULL);
	if (status < 0 || signal_end())
		return status < 0 ? status : signal_check("asking doctor");
	if (status == EXIT_USAGE)
		return -EUSAGE;
	if (status > EXIT_ASSERTION)
		return fail(-ECANCELED, "doctor failed with exit status %d", status);
	/* without the file it has said why */
	return access(file, R_OK) ? -ECANCELED : examination_load(&v->doctor, file);
}

/* doctor chooses the CPUs, and the directory is claimed for them. */
static int ask_doctor(struct validate *v)
{
	char part[PATH_MAX], path[PATH_MAX];
	bool made = !mkdir(v->dir, 0777);
	int err;

	if (!made && errno != EEXIST)
		return fail(-errno, "%s: %s", v->dir, strerror(errno));
	snprintf(path, sizeof(path), "%.4000s/" DOCTOR_FILE, v->dir);
	snprintf(part, sizeof(part), "%.4000s/" DOCTOR_FILE ".part", v->dir);
	err = make_doctor(v, part);
	if (!err) {
		err = claim_dir(v);
		v->not_ours = err;
	}
	if (!err && rename(part, path))
		err = fail(-errno, "%s: %s", path, strerror(errno));
	if (err)
		unlink(part);
	if (err && made)
		rmdir(v->dir);
	return err;
}

/*
 * An option of run, behind the word @before. signal:SIG is for the process that started validate,
 * and the run takes validate itself for that.
 */
static void add_option(const struct validate *v, struct call *c, const char *word, const char *before)
{
	static const char name[] = "--on-violation";
	const char *text = before && !strcmp(before, name) ? word :
			   !strncmp(word, "--on-violation=", sizeof(name)) ? word + sizeof(name) : NULL;
	char why[REASON_LEN];
	struct action a;

	if (text && !action_parse(&a, text, why, sizeof(why)) && a.kind == ACTION_SIGNAL && !a.pid)
		call_add(c, "%s:%d", word, v->starter);
	else
		call_add(c, "%s", word);
}

static int make_run(const struct validate *v, const struct validate_phase *p, const char *file)
{
	struct running running = { .v = v, .p = p, .began_ns = now_ns() };
	const struct ticks ticks = { tick, &running, v->doctor.cpus };
	struct call c = { 0 };
	unsigned int k;
	int i, status;

	call_tool(&c, "run");
	for (i = 0; i < v->noptions; i++)
		add_option(v, &c, v->options[i], i ? v->options[i - 1] : NULL);
	call_add(&c, "--cpus=%s", v->doctor.cpus);
	for (k = 0; k < p->nload; k++)
		call_add(&c, "--load=%s", p->load[k]);
	if (p->nload && v->load_cpus)
		call_add(&c, "--load-cpus=%s", v->load_cpus);
	call_add(&c, "--json=%s", file);
	call_add(&c, "--quiet");
	progress_init_steps(&running.progress, v->quiet);
	if (running.progress.how == PROGRESS_TABLE && asprintf(&running.log, "%s.log", file) < 0) {
		call_free(&c);
		return fail(-ENOMEM, "out of memory");
	}
	status = make_call(&c, running.log, v->quiet ? NULL : &ticks);
	progress_clear(&running.progress);
	relay(&running, true);
	if (running.said)
		fclose(running.said);
	if (running.log)
		unlink(running.log);
	free(running.log);
	progress_free(&running.progress);
	return status;
}

__attribute__((format(printf, 2, 3)))
static int miss_phase(struct validate_phase *p, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	free(p->because);
	n = vasprintf(&p->because, fmt, ap);
	va_end(ap);
	if (n >= 0)
		return 0;
	p->because = NULL;
	return fail(-ENOMEM, "out of memory");
}

/* Takes the result of an earlier start. False: it is missing, or has other loads. */
static bool take_old(const struct validate *v, struct validate_phase *p)
{
	const char *load;

	if (!v->resume || access(p->file, R_OK) || result_load(&p->r, p->file))
		return false;
	load = p->r.load ? p->r.load : "";
	if (!strcmp(load, p->expected)) {
		validate_take(v, p);
		return true;
	}
	result_free(&p->r);
	return false;
}

static void say(const struct validate *v, const struct validate_phase *p)
{
	char over[COUNT_LEN], of[COUNT_LEN], share[SHARE_LEN];
	unsigned int number = (unsigned int)(p - v->phase) + 1;

	if (v->quiet)
		return;
	if (p->state == PHASE_DONE)
		wrap_print(stderr, "phase %u of %u, %s: CPU %d: %s of %s over the budget or missed%s%s%s\n",
			   number, v->n, p->name, p->cpu,
			   p->over ? count_prose(over, p->over) : "none", count_prose(of, p->of),
			   p->over ? ", less than " : "", p->over ? share_prose(share, p->upper) : "",
			   p->kept ? "" : p->exceeds ? ": too many" : ": too short to tell");
	else
		wrap_print(stderr, "phase %u of %u, %s: %s: %s\n", number, v->n, p->name,
			   p->state == PHASE_SKIPPED ? "skipped" : "missing", p->because);
}

/* 0, with the phase done or missing; or -errno, printed. */
static int measure(struct validate *v, struct validate_phase *p)
{
	char *part;
	int status, err = 0;

	/* its PID may be that of another process by then */
	if (v->to_starter && getppid() != v->starter)
		return miss_phase(p, "the process that started validate has ended, and %s is for it", v->to_starter);
	if (asprintf(&part, "%s.part", p->file) < 0)
		return fail(-ENOMEM, "out of memory");
	status = make_run(v, p, part);
	if (status == -ENOMEM) {
		err = status;
	} else if (status && signal_end()) {
		err = miss_phase(p, "interrupted");
	} else if (status < 0) {
		err = miss_phase(p, "its run cannot be started: %s", strerror(-status));
	} else if (status) {
		err = miss_phase(p, "its run failed with exit status %d", status);
	} else if (result_load(&p->r, part)) {
		err = miss_phase(p, "its result cannot be read");
	} else if (p->r.stopped_by) {
		err = signal_end() ? miss_phase(p, "interrupted") :
				     miss_phase(p, "its run was cut short by %s", p->r.stopped_by);
		result_free(&p->r);
	} else if (rename(part, p->file)) {
		err = fail(-errno, "%s: %s", p->file, strerror(errno));
		result_free(&p->r);
	} else {
		validate_take(v, p);
	}
	/* half a phase is no result */
	if (p->state != PHASE_DONE)
		unlink(part);
	free(part);
	return err;
}

/* A load that could not run alone cannot run together with the others. */
static int choose_together(const struct validate *v, struct validate_phase *all)
{
	const struct validate_phase *p;

	all->nload = 0;
	for (p = v->phase + 1; p < all; p++)
		if (p->state == PHASE_DONE)
			all->load[all->nload++] = p->load[0];
	return all->nload > 1 ? 0 : miss_phase(all, "fewer than two loads ran");
}

static int make_phases(struct validate *v)
{
	struct validate_phase *p;
	int err = 0;

	for (p = v->phase; p < v->phase + v->n && !err && !signal_end(); p++) {
		if (p->state != PHASE_SKIPPED && p > v->phase + 1 && p == v->phase + v->n - 1)
			err = choose_together(v, p);
		if (err)
			break;
		if (p->because) {
			say(v, p);
			continue;
		}
		p->expected = load_text(p);
		if (!p->expected)
			return fail(-ENOMEM, "out of memory");
		if (!take_old(v, p))
			err = measure(v, p);
		if (!err)
			say(v, p);
		if (p == v->phase && p->state != PHASE_DONE && !signal_end())
			err = fail(-ECANCELED, "the workload does not run even without a load: %s", p->because);
	}
	if (signal_end())
		v->signal = signal_name(signal_end());
	return err;
}

/* What is ahead: before hours pass, and not in the verdict after them. */
static void announce(const struct validate *v)
{
	char phase[DURATION_LEN], all[DURATION_LEN], half[SHARE_LEN], single[DURATION_LEN], bursts[DURATION_LEN];
	unsigned int runs = validate_tests(v, 1), tests;
	struct cpulist cpus;

	wrap_print(stderr, "CPUs %s: %u run%s of %s, %s in all; results in %s\n", v->doctor.cpus, runs,
		   runs == 1 ? "" : "s", duration_prose_exact(phase, v->duration_ns),
		   duration_about(all, runs * ((double)v->duration_ns / NSEC_PER_SEC)), v->dir);
	if (!(v->miss > 0) || cpulist_parse(&cpus, v->doctor.cpus))
		return;
	tests = validate_tests(v, cpulist_count(&cpus));
	wrap_print(stderr, "a machine with %s over the budget or missed is fit in 95 %% with runs of about %s, or %s if they come in episodes of %d\n",
		   share_prose(half, v->miss / 2), validate_half_about(single, v, tests, 1),
		   validate_half_about(bursts, v, tests, VALIDATE_EPISODE), VALIDATE_EPISODE);
}

int validate_carry_out(struct validate *v)
{
	int err;

	v->starter = getppid();
	if (v->to_starter && v->starter <= 1)
		return fail(-ESRCH, ACTION_OF_INIT, v->to_starter, v->to_starter);
	err = signals_catch();
	if (!err)
		err = ask_doctor(v);
	if (err)
		return err;
	if (!v->quiet)
		announce(v);
	return make_phases(v);
}
