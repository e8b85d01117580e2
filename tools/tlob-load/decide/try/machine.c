// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "try/machine.h"
#include "tuning/tune.h"
#include "util/error.h"
#include "util/file.h"
#include "util/host.h"
#include "util/memstream.h"
#include "util/process.h"
#include "util/signals.h"
#include "util/text.h"
#include "util/time.h"

/* The rows of one setting. 0 or -ENOMEM. Call tune_free() in any case. */
static int make_rows(const struct machine *m, const struct setting *s, struct tune *t)
{
	int err = tune_begin(t, "", &m->doctor.measured, &m->doctor.others);

	return err ? err : setting_add(t, s);
}

/* Whether the setting would change something. 0; -ENODATA: it would not, and *@why says it if it is unusual; -ENOMEM. */
static int check_setting(const struct machine *m, const struct setting *s, char why[TRIAL_WHY])
{
	struct tune t;
	int err = make_rows(m, s, &t);

	*why = 0;
	if (!err && !tune_has(&t, s->what)) {
		snprintf(why, TRIAL_WHY, "%s", tune_problem(&t, s->what) ? tune_problem(&t, s->what) : "");
		err = -ENODATA;
	}
	tune_free(&t);
	return err;
}

/* Those of --tune that the machine lacks. 0 or -ENOMEM. */
static int add_defaults(struct machine *m)
{
	char why[TRIAL_WHY];
	size_t i;
	int err;

	for (i = 0; tune_names[i]; i++) {
		setting_parse(&m->setting[m->nsettings], tune_names[i], why, sizeof(why));
		err = check_setting(m, &m->setting[m->nsettings], why);
		if (err == -ENOMEM)
			return fail(err, "out of memory");
		m->nsettings += !err;
		if (*why)
			warning("%s: left out: %s", tune_names[i], why);
	}
	return 0;
}

/* One that the machine has already makes no difference. 0 or -errno, printed. */
static int check_named(const struct machine *m, const struct setting *s)
{
	char why[TRIAL_WHY];
	int err = check_setting(m, s, why);

	if (err == -ENOMEM)
		return fail(err, "out of memory");
	return err ? fail(err, "--setting %s: %s", s->name, *why ? why :
			  "it is already in effect, or this machine does not support it: leave it out") : 0;
}

/* The rule of doctor that the setting satisfies, or NULL. */
static const char *rule_of(const struct setting *s)
{
	static const struct {
		const char *what, *rule;
	} of[] = {
		{ "idle_states", "idle_states" }, { "governor", "governor" }, { "irq_affinity", "irqs" },
		{ "workqueues", "workqueues" }, { "timer_migration", "timer_migration" },
		{ "cpuset_partition", "partition" },
	};
	const struct checks * const *t;
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]) && s->kind == SETTING_ROWS; i++)
		if (!strcmp(of[i].what, s->what))
			return of[i].rule;
	for (t = check_tables; *t && s->kind == SETTING_FILE; t++)
		for (i = 0; i < (*t)->n; i++)
			if (has_word((*t)->at[i].path, s->path))
				return (*t)->at[i].id;
	return NULL;
}

/* Quoted: root runs it, and the user names the file and the value. */
static void put_write(FILE *f, const char *value, const char *path)
{
	fputs("printf '%s\\n' ", f);
	shell_word(f, value);
	fputs(" > ", f);
	shell_word(f, path);
	fputc('\n', f);
}

/* The commands that make the setting for good, a line each. */
static char *commands_of(const struct machine *m, const struct setting *s)
{
	char *text = NULL;
	size_t size, i;
	struct tune t;
	FILE *f = open_memstream(&text, &size);

	if (!f || make_rows(m, s, &t)) {
		if (f)
			fclose(f);
		free(text);
		return NULL;
	}
	if (s->kind == SETTING_COMMANDS)
		fprintf(f, "%s\n", s->on);
	for (i = 0; i < t.n && s->kind != SETTING_COMMANDS; i++) {
		if (t.row[i].problem)
			continue;
		if (t.row[i].kind == TUNE_HOLD)
			fprintf(f, "# your program must hold %s open, with 0 as four bytes\n", t.row[i].path);
		else if (t.row[i].kind == TUNE_PARTITION)
			fprintf(f, "mkdir %s && echo threaded > %s/cgroup.type && echo %s > %s/cpuset.cpus && echo isolated > %s/cpuset.cpus.partition\n",
				t.row[i].path, t.row[i].path, t.row[i].wanted, t.row[i].path, t.row[i].path);
		else
			put_write(f, t.row[i].wanted, t.row[i].path);
	}
	tune_free(&t);
	return memstream_text(f, &text);
}

static int describe(const struct machine *m, unsigned int i)
{
	struct trial_setting *to = &m->t->setting[i];
	const struct setting *s = &m->setting[i];

	to->name = s->name;
	to->rule = rule_of(s);
	to->keep = KEEP_COMMAND;
	if (s->kind == SETTING_FILE && begins_with(s->path, "/proc/sys/")) {
		to->keep = KEEP_SYSCTL;
		if (asprintf(&to->line, "%s = %s\n", s->path + strlen("/proc/sys/"), s->value) < 0)
			to->line = NULL;
	} else {
		to->line = commands_of(m, s);
	}
	return to->line ? 0 : fail(-ENOMEM, "out of memory");
}

int machine_prepare(struct machine *m, const char *cpus)
{
	size_t i;
	int err;

	m->doctor = (struct doctor){ .root = "", .pattern = PATTERN_PERIODIC, .wait = doctor_observe };
	err = doctor_prepare(&m->doctor, cpus);
	for (i = 0; i < m->nsettings && !err; i++)
		err = check_named(m, &m->setting[i]);
	if (!err && !m->nsettings)
		err = add_defaults(m);
	if (!err && !m->nsettings)
		err = fail(-ENODATA, "nothing to try: this machine has every setting of --tune, or cannot change it: name others with --setting");
	m->t->e.nsettings = m->nsettings;
	for (i = 0; i < m->nsettings && !err; i++)
		err = describe(m, (unsigned int)i);
	if (err)
		return err;
	m->t->kernel = host_kernel();
	m->t->cpus = strdup(m->doctor.report.cpus);
	return m->t->kernel && m->t->cpus ? 0 : fail(-ENOMEM, "out of memory");
}

int machine_print(FILE *f, const struct machine *m)
{
	struct tune t;
	unsigned int i;
	int err = 0;

	for (i = 0; i < m->nsettings && !err; i++) {
		err = make_rows(m, &m->setting[i], &t);
		if (!err)
			err = tune_print(f, &t);
		tune_free(&t);
	}
	return err ? fail(err, "cannot print the settings: %s", strerror(-err)) : 0;
}

void machine_put_id(FILE *f, const void *data)
{
	const struct machine *m = data;
	unsigned int k;
	int i;

	/* a module that is loaded before --resume is no effect of a setting */
	fprintf(f, "%s\n%s\n%s\n%s\n%s\n%s", m->backend, m->t->kernel, m->doctor.cmdline ? m->doctor.cmdline : "", m->doctor.report.cpus,
		m->load_cpus ? m->load_cpus : "", m->t->statistic.text);
	for (i = 0; i < m->noptions; i++)
		fprintf(f, "\n%s", m->options[i]);
	for (k = 0; k < m->nsettings; k++) {
		fprintf(f, "\n--setting=%s", m->setting[k].name);
		if (m->setting[k].kind == SETTING_COMMANDS)
			fprintf(f, ": %s / %s", m->setting[k].on, m->setting[k].off);
	}
	for (k = 0; k < m->t->e.nconditions; k++)
		fprintf(f, "\n--load=%s", m->load[k] ? m->load[k] : "");
}

/* The run must say that it has set it: else another program has set it meanwhile. */
static int check_set(const struct machine *m, struct trial_run *r, const char *tune)
{
	if (r->setting == TRIAL_NONE || (tune && has_word(tune, m->setting[r->setting].what)))
		return 0;
	snprintf(r->why, sizeof(r->why), "another program has set it meanwhile");
	return -ESTALE;
}

static int take_values(const struct machine *m, struct trial_run *r, const char *path)
{
	char *tune = NULL;
	int err = trial_values(r, path, m->t, &tune);

	if (!err)
		err = check_set(m, r, tune);
	free(tune);
	return err;
}

static int read_old(void *data, struct trial_run *r)
{
	return access(r->file, R_OK) || take_values(data, r, r->file) ? -ENOENT : 0;
}

static void add_options(struct call *c, const struct machine *m, const struct trial_run *r, const char *part)
{
	const struct setting *s = r->setting == TRIAL_NONE ? NULL : &m->setting[r->setting];

	call_tool(c, "run");
	/* a setting must not be blamed for another tlob-load */
	call_add(c, "--wait");
	/* else no setting of idle states could make a difference */
	call_add(c, "--dma-latency=off");
	call_add_all(c, m->options, m->noptions);
	call_add(c, "--cpus=%s", m->doctor.report.cpus);
	if (s)
		call_add(c, s->kind == SETTING_COMMANDS ? "--setting=%s: %s / %s" : "--setting=%s", s->name, s->on, s->off);
	if (m->load[r->condition])
		call_add(c, "--load=%s", m->load[r->condition]);
	if (m->load[r->condition] && m->load_cpus)
		call_add(c, "--load-cpus=%s", m->load_cpus);
	call_add(c, "--seed=%" PRIu64, r->seed);
	call_add(c, "--json=%s", part);
	call_add(c, "--quiet");
}

static int keep_result(const struct machine *m, struct trial_run *r, const char *part)
{
	int err = take_values(m, r, part);

	if (err == -ESTALE)
		return err;
	if (err)
		return -ECANCELED;
	return rename(part, r->file) ? fail(-errno, "%s: %s", r->file, strerror(errno)) : 0;
}

struct running {
	struct machine *m;
	const struct trial_run *r;
};

/* "130s: pair 4, @io, with governor" since the runs began. */
static void tick(void *data)
{
	const struct running *running = data;
	const struct trial_run *r = running->r;
	const int setting = r->setting == TRIAL_NONE ? r->other->setting : r->setting;
	struct machine *m = running->m;
	char doing[TRIAL_LINE];

	if (!m->began_ns) {
		progress_init_steps(&m->progress, m->t->quiet);
		m->began_ns = now_ns();
	}
	snprintf(doing, sizeof(doing), "pair %zu, %.60s, with%s %.150s", r->pair + 1, m->t->condition[r->condition],
		 r->setting == TRIAL_NONE ? "out" : "", m->setting[setting].name);
	progress_step(&m->progress, doing, now_ns() - m->began_ns, 0);
}

/* An --assert leaves a complete result, whatever it found. */
static int measure(void *data, struct trial_run *r)
{
	struct machine *m = data;
	struct running running = { m, r };
	const struct ticks ticks = { tick, &running, m->doctor.report.cpus };
	char part[PATH_MAX], log[PATH_MAX];
	struct call c = { 0 };
	int status;
	pid_t pid;

	snprintf(part, sizeof(part), "%.4080s.part", r->file);
	snprintf(log, sizeof(log), "%.4080s.log", r->file);
	add_options(&c, m, r, part);
	status = call_error(&c);
	if (!status) {
		pid = process_start(c.argv, log);
		status = pid < 0 ? (int)pid : signals_wait_run(pid, m->t->quiet ? NULL : &ticks);
		progress_clear(&m->progress);
	}
	call_free(&c);
	if (signal_end()) {
		unlink(part);
		return -EINTR;
	}
	if (status < 0)
		return status;
	if (exit_has_result(status)) {
		status = keep_result(m, r, part);
	} else {
		if (file_last_line(log, r->why, sizeof(r->why)))
			snprintf(r->why, sizeof(r->why), "exit status %d, and %.100s is empty: the disk may be full",
				 status, log);
		status = -ECANCELED;
	}
	if (status)
		unlink(part);
	else
		unlink(log);
	return status;
}

const struct trial_ops machine_ops = { .measure = measure, .read = read_old };
