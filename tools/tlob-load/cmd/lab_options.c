// SPDX-License-Identifier: GPL-2.0
/* Parsing the options of `tlob-load lab`. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/names.h"
#include "cmd/attach_options.h"
#include "cmd/decidable.h"
#include "cmd/lab_options.h"
#include "cmd/option_value.h"
#include "cmd/run_options.h"
#include "compare/statistic.h"
#include "compare/stats.h"
#include "util/random.h"

enum {
	OPT_SEED = 256, OPT_DIR, OPT_DETERMINISTIC, OPT_COMPARE, OPT_MARGIN,
	OPT_SMP, OPT_TIMEOUT, OPT_IMAGE, OPT_MODULES, OPT_SYMBOLS, OPT_EXPLAIN,
};

const char lab_short_options[] = "-:n:m:j:qh";

const struct option lab_long_options[] = {
	{ "image",	   required_argument, NULL, OPT_IMAGE },
	{ "modules",	   required_argument, NULL, OPT_MODULES },
	{ "symbols",	   required_argument, NULL, OPT_SYMBOLS },
	{ "pairs",	   required_argument, NULL, 'n' },
	{ "deterministic", no_argument,	      NULL, OPT_DETERMINISTIC },
	{ "explain",	   optional_argument, NULL, OPT_EXPLAIN },
	{ "compare",	   no_argument,	      NULL, OPT_COMPARE },
	{ "metric",	   required_argument, NULL, 'm' },
	{ "margin",	   required_argument, NULL, OPT_MARGIN },
	{ "dir",	   required_argument, NULL, OPT_DIR },
	{ "seed",	   required_argument, NULL, OPT_SEED },
	{ "smp",	   required_argument, NULL, OPT_SMP },
	{ "jobs",	   required_argument, NULL, 'j' },
	{ "timeout",	   required_argument, NULL, OPT_TIMEOUT },
	{ "quiet",	   no_argument,	      NULL, 'q' },
	{ "help",	   optional_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* "+./a.ko" or "+nohz=off": a module's file ends in .ko, an argument of the kernel does not. */
static int add_to_kernel(const struct value *v, struct lab_kernel *k,
			 const char *word, size_t n)
{
	size_t have = strlen(k->arguments), name = strcspn(word, "=");

	if (n > 3 && !strncmp(word + n - 3, ".ko", 3)) {
		if (n >= sizeof(k->module[0]) || k->nmodules == LAB_MAX_MODULES)
			return value_error(v, "invalid kernel '%.60s': give at most %d modules, with names below %zu bytes",
					   v->arg, LAB_MAX_MODULES, sizeof(k->module[0]));
		memcpy(k->module[k->nmodules++], word, n);
		return 0;
	}
	if (!n || memchr(word, '/', name < n ? name : n))
		return value_error(v, "invalid kernel '%.60s': put the .ko file of a module or an argument of the kernel after each +",
				   v->arg);
	if (memchr(word, ' ', n))
		return value_error(v, "invalid kernel '%.60s': put a + instead of the space",
				   v->arg);
	if (have + n + 2 > sizeof(k->arguments))
		return value_error(v, "invalid kernel '%.60s': give at most %zu bytes of kernel arguments",
				   v->arg, sizeof(k->arguments) - 2);
	snprintf(k->arguments + have, sizeof(k->arguments) - have, "%s%.*s",
		 have ? " " : "", (int)n, word);
	return 0;
}

/* The name becomes a part of a path and an argument of a script. */
static int add_kernel(const struct value *v, struct lab_config *o, bool image)
{
	struct lab_kernel *k = &o->kernel[o->nkernels];
	const char *from = v->arg;
	size_t n = strcspn(from, "+");

	if (o->nkernels == LAB_MAX_KERNELS)
		return value_error(v, "extra kernel %s: give at most %d", v->arg,
				   LAB_MAX_KERNELS);
	if (!n || n >= sizeof(k->name))
		return value_error(v, "invalid kernel '%.60s': give one as in 6.12-rt, 6.12-rt+./mine.ko or 6.12-rt+nohz=off",
				   v->arg);
	if (!image && memchr(from, ':', n))
		return value_error(v, "invalid kernel '%.60s': put a + instead of the ':' in front of an argument of the kernel",
				   v->arg);
	k->text = v->arg;
	k->image = image;
	memcpy(k->name, from, n);
	for (from += n; *from == '+'; from += n) {
		n = strcspn(++from, "+");
		if (add_to_kernel(v, k, from, n))
			return -EINVAL;
	}
	o->nkernels++;
	return 0;
}

static int set_modules(const struct value *v, struct lab_config *o)
{
	struct lab_kernel *k = o->nkernels ? &o->kernel[o->nkernels - 1] : NULL;

	if (!k || !k->image || k->modules)
		return value_error(v, "--modules %s: give it once, after its --image",
				   v->arg);
	return value_text(v, "a directory", &k->modules);
}

static int set_symbols(const struct value *v, struct lab_config *o)
{
	struct lab_kernel *k = o->nkernels ? &o->kernel[o->nkernels - 1] : NULL;

	if (!k || !k->image || k->symbols)
		return value_error(v, "--symbols %s: give it once, after its --image",
				   v->arg);
	return value_text(v, "a file", &k->symbols);
}

static int add_metric(const struct value *v, struct lab_config *o)
{
	struct statistic s, other;
	char why[REASON_LEN];
	unsigned int i;

	if (o->nmetrics == STATISTICS_MAX)
		return value_error(v, "--metric is given more than %d times: leave some out",
				   STATISTICS_MAX);
	if (statistic_parse(&s, v->arg, why, sizeof(why)))
		return value_error(v, "--metric: %s", why);
	for (i = 0; i < o->nmetrics; i++)
		if (!statistic_parse(&other, o->metric[i], why, sizeof(why)) &&
		    !strcmp(other.text, s.text))
			return value_error(v, "--metric %s is given twice", s.text);
	o->metric[o->nmetrics++] = v->arg;
	return 0;
}

static int set_explain(const struct value *v, struct lab_config *o)
{
	static const char * const window[] = { "p50", "p99", "max" };
	unsigned int i;

	o->explain = v->arg ? NULL : window[0];
	for (i = 0; i < 3 && !o->explain; i++)
		if (!strcmp(v->arg, window[i]))
			o->explain = window[i];
	return o->explain ? 0 : value_error(v, "--explain=%s: invalid window: give p50, p99 or max",
					    v->arg);
}

static int set_option(void *data, int val, const struct value *v)
{
	struct lab_config *o = data;
	double margin;

	switch (val) {
	case 1:				/* an argument among the options */
		return add_kernel(v, o, false);
	case OPT_IMAGE:
		return add_kernel(v, o, true);
	case OPT_MODULES:
		return set_modules(v, o);
	case OPT_SYMBOLS:
		return set_symbols(v, o);
	case 'n':
		return value_count(v, 1, STATS_MAX_PAIRS, &o->pairs);
	case OPT_DETERMINISTIC:
		o->deterministic = true;
		return 0;
	case OPT_EXPLAIN:
		return set_explain(v, o);
	case OPT_COMPARE:
		o->compare = true;
		return 0;
	case 'm':
		return add_metric(v, o);
	case OPT_MARGIN:
		o->margin = v->arg;
		return value_percent(v, 10, &margin);
	case OPT_DIR:
		return value_text(v, "the name of a directory", &o->dir);
	case OPT_SEED:
		return value_count(v, 0, UINT32_MAX, &o->seed);
	case OPT_SMP:
		return value_count(v, 1, 64, &o->smp);
	case 'j':
		return value_count(v, 1, LAB_MAX_JOBS, &o->jobs);
	case OPT_TIMEOUT:
		return value_count(v, 10, 3600, &o->timeout);
	case 'q':
		o->quiet = true;
		return 0;
	case 'h':
		return value_help(v, &o->help);
	}
	return value_error(v, "unknown option --%s", v->name);
}

static int check_comparison(const struct lab_config *o,
			    const struct run_config *run, const struct value *v)
{
	struct statistic s[STATISTICS_MAX];
	char why[REASON_LEN];
	unsigned int n;

	for (n = 0; n < o->nmetrics; n++)
		if (statistic_parse(&s[n], o->metric[n], why, sizeof(why)))
			return value_error(v, "--metric: %s", why);
	if (!n)
		n = default_statistics(s, o->deterministic);
	return check_decidable(v, o->pairs, s, n, run);
}

/* "attach PROGRAM ...": a region is explained. */
static int check_region(struct lab_config *o, char **attach, const struct value *v)
{
	struct attach_config *a = &o->attach;
	char why[REASON_LEN];

	if (!o->explain || o->compare)
		return value_error(v, "after --: attach is for --explain without --compare");
	o->region = true;
	o->options = attach + 1;
	o->noptions--;
	if (attach_options_parse(a, o->noptions + 1, attach, why, sizeof(why)))
		return value_error(v, "after -- attach: %s", why);
	if (a->pid || a->library || a->all || a->waits || a->nassertion || a->json || a->junit ||
	    a->ktap || a->markdown || a->windows || a->has_progress || a->quiet || a->verbose ||
	    a->help || a->version)
		return value_error(v, "after -- attach: only PROGRAM, --start, --stop, --budget and --duration are for lab: leave out the others");
	return 0;
}

/* The windows of the warm-up are in the trace as well. */
static int fit_explained(struct lab_config *o, struct run_config *r, const struct value *v)
{
	uint64_t windows = r->windows, most = LAB_EXPLAINED;

	if (strcmp(r->backend, BACKEND_AUTO) && strcmp(r->backend, "tlob"))
		return value_error(v, "after --: --backend %s: --explain reads the module's trace: leave it out",
				   r->backend);
	if (r->warm_up >= most)
		return value_error(v, "after --: --warm-up %" PRIu64 ": with --explain a run has at most %d windows: give fewer",
				   r->warm_up, LAB_EXPLAINED);
	most -= r->warm_up;
	if (r->duration_ns && (!windows || windows > r->duration_ns / r->period_ns))
		windows = r->duration_ns / r->period_ns;
	if (windows > most)
		o->windows = r->windows = most;
	return 0;
}

static int check_run(struct lab_config *o, char **run, const struct value *v)
{
	char why[REASON_LEN];
	struct run_config r;

	o->options = run + 1;
	if (run_options_parse(&r, o->noptions + 1, run, why, sizeof(why)))
		return value_error(v, "after --: %s", why);
	if (run_options_only_print(&r) || r.json || r.has_seed || r.trace)
		return value_error(v, "after --: --json, --trace, --seed, --tune=list, --functions=list, --help and --version are not for lab: leave them out");
	if (r.hist || r.timeline_json || r.junit || r.ktap || r.markdown)
		return value_error(v, "after --: a file that run writes would stay in the guest: leave out --hist, --timeline-json, --junit, --ktap and --markdown");
	/* posix refuses a noise source */
	o->hooks = !strcmp(r.noise_source, "auto") &&
		   strcmp(r.backend, backend_posix.name);
	if (!r.duration_ns && !r.windows)
		return value_error(v, "after --: the length of a run is missing: give one, as in -d 3s");
	if (o->explain && fit_explained(o, &r, v))
		return -EINVAL;
	return o->compare ? check_comparison(o, &r, v) : 0;
}

static int check_options(struct lab_config *o, int argc, char **argv,
			 const struct value *v)
{
	static char *defaults[] = {
		(char *)"run", (char *)"--work", (char *)"none",
		(char *)"--period", (char *)"1ms", (char *)"-d", NULL, NULL,
	};
	char **run = argv + optind - 1;

	o->noptions = argc - optind;
	if (!o->nkernels)
		return value_error(v, "no kernel: give one, as in 6.12-rt");
	if (o->compare && o->nkernels < 2)
		return value_error(v, "--compare needs two kernels; give the same one twice to check the lab itself");
	if ((o->nmetrics || o->margin) && !o->compare)
		return value_error(v, "--metric and --margin need --compare");
	/* it counts instructions, and one boot is as good as ten: they are copies */
	o->deterministic |= !!o->explain;
	if (!o->pairs)
		o->pairs = o->explain && !o->compare ? 1 : 10;
	if (o->deterministic && o->smp > 1)
		return value_error(v, "--deterministic needs one CPU: leave out --smp");
	if (o->explain && strchr(o->dir, ','))
		return value_error(v, "--dir %s: --explain gives the name to QEMU, which takes a comma for its end",
				   o->dir);
	if (o->noptions && !strcmp(run[1], "attach"))
		return check_region(o, run + 1, v);
	if (!o->noptions) {
		run = defaults;
		run[6] = o->explain && !o->compare ? (char *)"1s" : (char *)"10s";
		o->noptions = 6;
		o->default_options = true;
	} else {
		run[0] = (char *)"run";
	}
	return check_run(o, run, v);
}

int lab_options_parse(struct lab_config *o, int argc, char **argv,
		      char *err, unsigned int size)
{
	struct value v = { .options = lab_long_options, .err = err, .size = size };
	int ret;

	*o = (struct lab_config){
		.jobs = 1, .smp = 1, .timeout = 300,
		.dir = "tlob-lab", .seed = random_seed(),
	};
	ret = options_read(o, argc, argv, lab_short_options, &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	return check_options(o, argc, argv, &v);
}
