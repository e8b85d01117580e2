// SPDX-License-Identifier: GPL-2.0
/*
 * The sets of --functions by BPF programs at the entry and the exit of each function. The
 * programs of bpf/functions.bpf.c fill the calls of a CPU, which are mapped. After t3 the
 * measuring thread copies their times to its ring.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "backend/bpf.h"
#include "backend/bpf/probes.h"
#include "backend/bpf/shared.h"
#include "backend/bpf_ring.h"
#include "functions/expand.h"
#include "functions/refused.h"
#include "machine/bpf_load.h"
#include "machine/cgroup.h"
#include "machine/cpus.h"
#include "options/run_config.h"
#include "result/result.h"
#include "util/error.h"

#define MECHANISM	"fentry"
#define PROGRAM_LEN	32		/* "enter_49" */
#define COST_CALLS	16		/* between two readings of the clock */
#define COST_ROUNDS	32		/* the shortest counts: the others were disturbed */
#define COST_BUDGET_NS	(3600ULL * 1000000000)

BPF_EMBED(functions_image, TLOB_FUNCTIONS_OBJECT);

struct bpf_functions {
	struct bpf_object *object;
	struct bpf_link *link[2 * TLOB_PROBES_MAX];
	size_t	 nlink;
	size_t	 n;			/* functions */
	struct tlob_probe probe[TLOB_PROBES_ROOM];
	const char *name[TLOB_PROBES_MAX];	/* in BTF */
	const char *cost;		/* likewise, of TLOB_PROBE_COST; NULL: none */
	uint64_t probe_ns;		/* 0: not known */
	struct bpf_ring *rings;		/* [ncpus] */
	uint64_t missed[TLOB_CELL_CPUS]; /* of each CPU, up to its last record */
};

struct record {
	uint64_t activation;
	struct tlob_functions times;
};

/*
 * The cost of the probe of a call, measured on this machine before each run, as the module
 * does it: a system call that does nearly nothing is made with a probe and without. A window
 * is open meanwhile, on a measured CPU, so the programs do what they do in one.
 */
struct cost {
	struct bpf *bpf;
	const struct cgroup *cgroup;
	const struct tlob_policy *policy;
	int	 cpu;
	struct bpf_program *enter, *leave;
	uint64_t ns;			/* 0: not measured */
};

/* The function of getppid(). Its name depends on the architecture. */
static uint64_t cost_address(const struct kernel_functions *k)
{
	static const char * const names[] = { "__x64_sys_getppid", "__arm64_sys_getppid" };
	size_t i, n;

	for (i = 0; i < k->n; i++)
		for (n = 0; n < sizeof(names) / sizeof(names[0]); n++)
			if (!*k->at[i].module && !strcmp(k->at[i].name, names[n]))
				return k->at[i].address;
	return 0;
}

static uint64_t round_ns(void)
{
	uint64_t began = now_ns();
	unsigned int i;

	for (i = 0; i < COST_CALLS; i++)
		syscall(SYS_getppid);
	return now_ns() - began;
}

/* Opens a window that is past its t2. No other thread measures on this CPU yet. */
static void open_window(struct tlob_cell *c)
{
	uint64_t now;

	tlob_cell_arm(c, tlob_cell_clock(), COST_BUDGET_NS, 0);
	TLOB_CELL_ONCE(c->active) = 0;
	tlob_cell_barrier();
	now = tlob_cell_clock();
	tlob_split_t1(&c->split, now);
	tlob_split_t2(&c->split, now);
	tlob_cell_barrier();
	TLOB_CELL_ONCE(c->active) = 1;
}

static uint64_t shortest_ns(struct tlob_cell *c)
{
	uint64_t shortest = UINT64_MAX, ns;
	unsigned int i;

	open_window(c);
	for (i = 0; i < COST_ROUNDS; i++) {
		ns = round_ns();
		if (ns < shortest)
			shortest = ns;
	}
	tlob_cell_end(c);
	return shortest;
}

static uint64_t probed_ns(struct tlob_cell *c, const struct cost *cost)
{
	struct bpf_link *leave = bpf_program__attach(cost->leave), *enter = NULL;
	uint64_t ns = 0;

	if (!libbpf_get_error(leave))
		enter = bpf_program__attach(cost->enter);
	if (enter && !libbpf_get_error(enter)) {
		ns = shortest_ns(c);
		bpf_link__destroy(enter);
	}
	if (!libbpf_get_error(leave))
		bpf_link__destroy(leave);
	return ns;
}

static void *measure(void *arg)
{
	struct cost *cost = arg;
	const struct sched_param param = { .sched_priority = (int)cost->policy->priority };
	struct tlob_cell *c = &cost->bpf->cells[cost->cpu];
	uint64_t bare, probed;

	/* as the measuring thread, and before it is there: others may have the CPU */
	pthread_setschedparam(pthread_self(), (int)cost->policy->policy, &param);
	if (cgroup_enter(cost->cgroup) || cpus_pin(cost->cpu) ||
	    bpf_object_introduce(cost->bpf, cost->cpu, false))
		return NULL;
	c->sets = 1;
	c->calls = &cost->bpf->calls[cost->cpu];
	tlob_calls_init(c->calls, 0);
	bare = shortest_ns(c);
	probed = probed_ns(c, cost);
	c->calls = NULL;
	if (probed > bare)
		cost->ns = (probed - bare) / COST_CALLS;
	return NULL;
}

static uint64_t measure_cost(struct backend_run *b, struct bpf_program *enter,
			     struct bpf_program *leave)
{
	struct cost cost = {
		.bpf = bpf_of(b), .cgroup = b->cgroup, .policy = &b->config->sched,
		.cpu = b->cpus->list[0], .enter = enter, .leave = leave,
	};
	pthread_t thread;

	/* a thread of its own: the caller stays where it may run */
	if (!pthread_create(&thread, NULL, measure, &cost))
		pthread_join(thread, NULL);
	return cost.ns;
}

/* The kernel finds a function by its name, and takes the first that has it. */
static bool is_unique(const struct kernel_functions *k, const struct kernel_function *f)
{
	size_t i;

	for (i = 0; i < k->n; i++)
		if (!*k->at[i].module && k->at[i].address != f->address &&
		    !strcmp(k->at[i].name, f->name))
			return false;
	return true;
}

/* The name by which a program can be attached at @address, or NULL. */
static const char *attachable(const struct kernel_functions *k, uint64_t address)
{
	size_t i;

	for (i = 0; i < k->n && k->at[i].address <= address; i++)
		if (k->at[i].address == address && !*k->at[i].module &&
		    bpf_has_type(k->at[i].name, BTF_KIND_FUNC) &&
		    is_unique(k, &k->at[i]))
			return k->at[i].name;
	return NULL;
}

/* One set: what can be probed. Returns 0 or -errno, printed. */
static int take_set(struct backend_run *b, unsigned int set)
{
	const struct traced_set *from = &b->config->traced->at[set];
	struct bpf_functions *f = bpf_of(b)->functions;
	const char *name, *because, *why = NULL, *first = NULL;
	size_t i, before = f->n;

	for (i = 0; i < from->n; i++) {
		name = attachable(&b->config->traced->kernel, from->at[i].address);
		because = name ? function_refused_by_bpf(name) :
			  "BTF has no single function of this name: it is a copy or a part of one, or several have the name";
		if (because) {
			why = why ? why : because;
			first = first ? first : from->at[i].name;
			continue;
		}
		f->name[f->n] = name;
		f->probe[f->n++] = (struct tlob_probe){
			.address = from->at[i].address, .set = set,
		};
	}
	if (f->n == before)
		return fail(-EINVAL, "--functions %s: BPF programs can probe none of its functions: %s: %s: name others, or load the module",
			    from->of->name, first, why);
	if (first)
		return result_note(b->r, "--functions %s: left out %zu that BPF programs cannot probe: %s%s: %s",
				   from->of->name, from->n - (f->n - before), first,
				   from->n - (f->n - before) > 1 ? " and others" : "", why);
	return 0;
}

/* In a kernel that lacks it nothing says what a probe costs. */
static void take_cost(struct bpf_functions *f, const struct kernel_functions *k)
{
	uint64_t address = cost_address(k);

	if (!address)
		return;
	f->cost = attachable(k, address);
	f->probe[TLOB_PROBE_COST].address = address;
}

static int take_sets(struct backend_run *b)
{
	int err = bpf_load_begin();
	unsigned int i;

	if (err)
		return err;
	if (bpf_is_older())
		err = fail(-EOPNOTSUPP, "--functions: the BPF programs need Linux 5.19 or later");
	else if (!bpf_reads_preempt())
		err = fail(-EOPNOTSUPP, "--functions: BPF programs cannot read the preemption counter, by which they recognize an nmi: load the module");
	for (i = 0; i < b->config->traced->n && !err; i++)
		err = take_set(b, i);
	take_cost(bpf_of(b)->functions, &b->config->traced->kernel);
	return err;
}

int bpf_functions_check(struct backend_run *b)
{
	const struct traced_sets *traced = b->config->traced;
	struct bpf *bpf = bpf_of(b);

	if (!traced)
		return 0;
	if (traced->total > TLOB_PROBES_MAX)
		return fail(-E2BIG, "--functions: %zu functions, but at most %d by BPF programs: name fewer (--functions list after them shows what matches), or load the module",
			    traced->total, TLOB_PROBES_MAX);
	bpf->functions = calloc(1, sizeof(*bpf->functions));
	if (bpf->functions)
		bpf->functions->rings = bpf_rings_new(b->cpus->n, sizeof(struct record), BPF_RING_RECORDS);
	if (!bpf->functions || !bpf->functions->rings)
		return fail(-ENOMEM, "out of memory");
	bpf->ncalls = (unsigned int)b->cpus->list[b->cpus->n - 1] + 1;
	return take_sets(b);
}

static struct bpf_program *program(const struct bpf_functions *f, size_t i, bool exit)
{
	char name[PROGRAM_LEN];

	snprintf(name, sizeof(name), "%s_%zu", exit ? "leave" : "enter", i);
	return bpf_object__find_program_by_name(f->object, name);
}

/* The function whose program libbpf names in what it says, or NULL. */
static const char *culprit(const struct bpf_functions *f)
{
	const char *said = bpf_load_said();
	size_t i;

	if (sscanf(said, "libbpf: prog 'enter_%zu", &i) != 1 &&
	    sscanf(said, "libbpf: prog 'leave_%zu", &i) != 1)
		return NULL;
	if (i == TLOB_PROBE_COST)
		return f->cost;
	return i < f->n ? f->name[i] : NULL;
}

static int refused(const struct bpf_functions *f, const char *name, int err)
{
	name = name ? name : culprit(f);
	if (err == -EPERM)
		return fail(-EOPNOTSUPP, "--functions: this kernel permits no BPF programs on functions%s%s: a security module refuses them: load the module",
			    *bpf_load_said() ? ": " : "", bpf_load_said());
	if (!name)
		return bpf_load_failed(err);
	return fail(-EINVAL, "--functions: the kernel refuses BPF programs at %s: %s%s%s: name others", name,
		    strerror(-err), *bpf_load_said() ? ": " : "", bpf_load_said());
}

/* Maps of the hooks' programs, and room for what the probes have of their own. */
static int share_maps(struct bpf *bpf)
{
	static const char * const shared[] = { ".bss", "calls" };
	struct bpf_functions *f = bpf->functions;
	struct bpf_map *from, *to;
	size_t i;
	int err;

	for (i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
		from = bpf_object__find_map_by_name(bpf->object, shared[i]);
		to = bpf_object__find_map_by_name(f->object, shared[i]);
		if (!from || !to || bpf_map__value_size(from) != bpf_map__value_size(to))
			return -EPROTO;
		err = bpf_map__reuse_fd(to, bpf_map__fd(from));
		if (err)
			return err;
	}
	err = bpf_set_value(f->object, ".rodata", f->probe, sizeof(f->probe));
	if (!err)
		err = bpf_set_value(f->object, ".rodata.with", &bpf->with, sizeof(bpf->with));
	return err ? err : bpf_set_room(f->object, "guards", bpf->ncalls);
}

static int choose_program(const struct bpf_functions *f, size_t i, bool exit, const char *name)
{
	struct bpf_program *p = program(f, i, exit);

	if (!p)
		return -EPROTO;
	bpf_program__set_autoload(p, true);
	return bpf_program__set_attach_target(p, 0, name);
}

/* Only the programs of @f's functions are loaded, each for its own. */
static int choose_programs(struct bpf_functions *f)
{
	struct bpf_program *p;
	size_t i;
	int err = 0;

	bpf_object__for_each_program(p, f->object)
		bpf_program__set_autoload(p, false);
	for (i = 0; i < 2 * f->n && !err; i++)
		err = choose_program(f, i / 2, i % 2, f->name[i / 2]);
	for (i = 0; i < 2 && f->cost && !err; i++)
		err = choose_program(f, TLOB_PROBE_COST, i, f->cost);
	return err;
}

/*
 * The exits first: an entry whose exit is not seen would stay open. A call that is open
 * when they are attached has none.
 */
static int attach(struct bpf_functions *f)
{
	size_t i;
	long err;

	for (i = 0; i < 2 * f->n; i++) {
		f->link[i] = bpf_program__attach(program(f, i % f->n, i < f->n));
		err = libbpf_get_error(f->link[i]);
		if (err) {
			f->link[i] = NULL;
			return refused(f, f->name[i % f->n], (int)err);
		}
		f->nlink++;
	}
	return 0;
}

static int open_and_load(void *of)
{
	struct bpf *bpf = of;
	struct bpf_functions *f = bpf->functions;
	int err = bpf_load_open(&f->object, &functions_image, "tlob_functions");

	if (!err)
		err = share_maps(bpf);
	if (!err)
		err = choose_programs(f);
	return err ? err : bpf_load(f->object);
}

int bpf_functions_open(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);
	struct bpf_functions *f = bpf->functions;
	size_t i;
	int err;

	if (!f)
		return 0;
	err = bpf_load_begin();
	if (err)
		return err;
	err = bpf_load_tries(&f->object, open_and_load, bpf);
	if (err)
		return refused(f, NULL, err);
	if (f->cost)
		f->probe_ns = measure_cost(b, program(f, TLOB_PROBE_COST, false),
					   program(f, TLOB_PROBE_COST, true));
	for (i = 0; i < b->cpus->n; i++)
		tlob_calls_init(&bpf->calls[b->cpus->list[i]], 0);
	bpf_load_quietly();
	return attach(f);
}

/* Calls that were not measured: without room, in nmis and in half-done hooks. */
static uint64_t missed(const struct tlob_calls *c, size_t set)
{
	return TLOB_CELL_ONCE(c->full[set]) + TLOB_CELL_ONCE(c->unseen[set]);
}

void bpf_functions_put(struct bpf *bpf, size_t i, int cpu, uint64_t activation)
{
	struct bpf_functions *f = bpf->functions;
	struct record *to = bpf_ring_room(&f->rings[i]);
	uint64_t all = 0;
	size_t set;

	if (!to)
		return;
	for (set = 0; set < bpf->cells[cpu].sets; set++)
		all += missed(&bpf->calls[cpu], set);
	to->activation = activation;
	to->times = (struct tlob_functions){
		.cpu = (__u32)cpu, .activation = activation,
		.missed = (__u32)(all - f->missed[cpu]),
	};
	tlob_calls_copy(&to->times, &bpf->calls[cpu], bpf->cells[cpu].sets);
	f->missed[cpu] = all;
	bpf_ring_put(&f->rings[i]);
}

const struct tlob_functions *bpf_functions_find(struct backend_run *b, size_t i,
						const struct tlob_window *w)
{
	const struct record *r = bpf_ring_find(&bpf_of(b)->functions->rings[i], w->activation);

	return r ? &r->times : NULL;
}

static uint64_t open_calls(const struct tlob_calls *c, size_t set)
{
	uint64_t n = 0;
	size_t i;

	for (i = TLOB_CALL_FIRST; i < TLOB_CALLS; i++)
		n += !tlob_call_is_gone(&c->call[i]) &&
		     (TLOB_CELL_ONCE(c->call[i].key) & 0xff) == set;
	return n;
}

/* The kernel skips a program that would run inside of itself, and counts that. */
static uint64_t skipped(const struct bpf_functions *f, size_t set)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < 2 * f->n; i++) {
		struct bpf_prog_info info = { 0 };
		__u32 len = sizeof(info);

		if (f->probe[i / 2].set == set &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(program(f, i / 2, i % 2)), &info, &len))
			n += info.recursion_misses;
	}
	return n;
}

static void read_set(struct backend_run *b, size_t set, struct function_set *to)
{
	struct bpf *bpf = bpf_of(b);
	struct bpf_functions *f = bpf->functions;
	size_t i;

	to->functions = 0;
	for (i = 0; i < f->n; i++)
		to->functions += f->probe[i].set == set;
	to->open = 0;
	to->unreturned = 0;
	to->missed = skipped(f, set);
	for (i = 0; i < b->cpus->n; i++) {
		const struct tlob_calls *c = &bpf->calls[b->cpus->list[i]];

		to->open += open_calls(c, set);
		to->unreturned += TLOB_CELL_ONCE(c->lost[set]);
		to->missed += missed(c, set);
	}
	/* nothing waits for their exits any more */
	if (!f->nlink) {
		to->unreturned += to->open;
		to->open = 0;
	}
}

int bpf_functions_read(struct backend_run *b, struct function_sets *sets)
{
	size_t i;

	free(sets->mechanism);
	sets->mechanism = strdup(MECHANISM);
	if (!sets->mechanism)
		return fail(-ENOMEM, "out of memory");
	sets->probe_ns = bpf_of(b)->functions->probe_ns;
	for (i = 0; i < sets->n; i++)
		read_set(b, i, &sets->at[i]);
	return 0;
}

void bpf_functions_detach(struct bpf *bpf)
{
	struct bpf_functions *f = bpf->functions;

	while (f && f->nlink)
		bpf_link__destroy(f->link[--f->nlink]);
}

void bpf_functions_close(struct backend_run *b)
{
	struct bpf *bpf = bpf_of(b);

	if (!bpf->functions)
		return;
	bpf_functions_detach(bpf);
	bpf_object__close(bpf->functions->object);
	bpf_rings_free(bpf->functions->rings, b->cpus->n);
	free(bpf->functions);
	bpf->functions = NULL;
}
