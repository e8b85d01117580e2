// SPDX-License-Identifier: GPL-2.0
/* Stacks and symbols: from lists of events that are written here. */
#include <errno.h>
#include <time.h>

#include "unit.h"
#include "explain/step_parts.h"
#include "explain/explain.h"
#include "explain/ksyms_names.h"

static const char symbols[] =
	"0000000000000000 A __per_cpu_start\n"
	"ffffffff81000000 T outer\n"
	"ffffffff81000100 t inner\n"
	"ffffffff81000100 t __pfx_other\n"
	"ffffffff81000200 t _alias\n"
	"ffffffff81000200 T second\n"
	"ffffffff81000200 T __some_text_end\n"
	"ffffffff81000200 t alias\n"
	"ffffffff81000300 t inner.cold\n"
	"ffffffff81000400 T asm_sysvec_apic_timer_interrupt\n"
	"ffffffff81000500 T __switch_to_asm\n"
	"ffffffff81000600 T __switch_to\n"
	"ffffffff81000700 T __schedule\n"
	"ffffffff81000800 T schedule\n"
	"ffffffff81000900 T thunk\n"
	"ffffffff81000950 T __x86_indirect_thunk_rax\n"
	"ffffffff81000a00 T entry_SYSCALL_64\n"
	"ffffffff81000b00 D data\n"
	"ffffffff81001000 T vectors\n"
	"ffffffff81001800 T el1h_64_irq\n"
	"ffffffff81001900 T cpu_switch_to\n"
	"ffffffffc0000000 t probe\t[mine]\n";

/* A path, as its tree says it: "ROOT;...;FUNCTION N" in the order of nodes. */
static void assert_stacks(const char *segments, const char *wanted)
{
	char *s = strdup(symbols), *text = NULL, *got = NULL, why[200] = "";
	size_t size, i, depth;
	const struct node *stack[64];
	struct place *place;
	struct profile p;
	struct ksyms k;
	struct tree t;
	FILE *f;

	assert_true(asprintf(&text, "tlob-plugin 1\n%send 0\n", segments) > 0);
	assert_int_equal(ksyms_parse(&k, s), 0);
	if (profile_read(&p, text, why, sizeof(why)))
		fail_msg("%s", why);
	place = places_of(&p, &k);
	assert_non_null(place);
	assert_int_equal(unwind(&t, &p, place, &p.path[0]), 0);
	f = open_memstream(&got, &size);
	assert_non_null(f);
	for (i = 0; i < t.n; i++) {
		const struct node *n = &t.node[i];

		if (!n->net[0])
			continue;
		for (depth = 0; n; n = tree_caller(&t, n))
			stack[depth++] = n;
		while (depth--)
			fprintf(f, "%s%s%s", stack[depth]->entered ? "*" : "",
				stack[depth]->function->name, depth ? ";" : "");
		fprintf(f, " %d\n", (int)t.node[i].net[0]);
	}
	fclose(f);
	assert_string_equal(got, wanted);
	free(got);
	tree_free(&t);
	free(place);
	profile_free(&p);
	ksyms_free(&k);
	free(text);
	free(s);
}

/* A function within itself counts once, and so do those between. */
TEST(test_recursion)
{
	static const struct ksym f = { .name = "f", .module = "" }, g = { .name = "g", .module = "" };
	struct node node[] = {
		{ .parent = NODE_NONE },
		{ .function = &f, .parent = 0, .net = { 1 } }, { .function = &g, .parent = 1, .net = { 10 } },
		{ .function = &f, .parent = 2, .net = { 100 } }, { .function = &f, .parent = 3, .net = { 1000 } },
		{ .function = &g, .parent = 4, .net = { 10000 } },
	};
	const struct tree tree = { .node = node, .n = ARRAY_SIZE(node) };
	const struct profile p = { 0 };
	const struct path path = { 0 };
	struct tally t;

	assert_int_equal(tally_make(&t, &tree, &p, &path), 0);
	assert_int_equal(t.n, 2);
	assert_ptr_equal(t.row[0].function, &f);
	assert_int_equal(t.row[0].net[0], 1101);
	assert_int_equal(t.row[0].inclusive[0], 11111);
	assert_int_equal(t.row[1].net[0], 10010);
	assert_int_equal(t.row[1].inclusive[0], 11110);
	tally_free(&t);
}

/* Who ends with a jump to a function has called it: f jumps to g, which calls h. */
TEST(test_tail_inclusive)
{
	static const struct ksym f = { .name = "f", .module = "" }, g = { .name = "g", .module = "" },
				 h = { .name = "h", .module = "" };
	struct node node[] = {
		{ .parent = NODE_NONE },
		{ .function = &f, .parent = 0, .net = { 1 } },
		{ .function = &g, .parent = 0, .jumped_from = 2, .net = { 10 } },
		{ .function = &h, .parent = 2, .net = { 100 } },
		/* and somebody else calls g */
		{ .function = &g, .parent = 0, .net = { 1000 } },
	};
	const struct tree tree = { .node = node, .n = ARRAY_SIZE(node) };
	const struct profile p = { 0 };
	const struct path path = { 0 };
	struct tally t;

	assert_int_equal(tally_make(&t, &tree, &p, &path), 0);
	assert_int_equal(t.n, 3);
	assert_int_equal(t.row[0].inclusive[0], 111);
	assert_int_equal(t.row[1].inclusive[0], 1110);
	assert_int_equal(t.row[2].inclusive[0], 100);
	tally_free(&t);
}

/* The walk notes who jumped; what a thunk jumps to belongs to who jumped to the thunk. */
TEST(test_tail_noted)
{
	char *s = strdup(symbols), why[200];
	char text[] = "tlob-plugin 1\n"
		"segment ffffffff81000000 16 4 c\n"
		"segment ffffffff81000100 16 5 j\n"
		"segment ffffffff81000950 5 1 j\n"
		"segment ffffffff81000200 16 6 r\n"
		"segment ffffffff81000010 8 2 -\n"
		"path 0 1 2 3 4 t1 t2 t3\nend 0\n";
	struct place *place;
	struct profile p;
	struct ksyms k;
	struct tree t;
	size_t i;

	assert_int_equal(ksyms_parse(&k, s), 0);
	if (profile_read(&p, text, why, sizeof(why)))
		fail_msg("%s", why);
	place = places_of(&p, &k);
	assert_int_equal(unwind(&t, &p, place, &p.path[0]), 0);
	for (i = 0; i < t.n && (!t.node[i].function || strcmp(t.node[i].function->name, "second")); i++)
		;
	assert_true(i < t.n && t.node[i].jumped_from);
	assert_string_equal(tree_above(&t, &t.node[i])->function->name, "inner");
	assert_string_equal(tree_caller(&t, &t.node[i])->function->name, "outer");
	tree_free(&t);
	free(place);
	profile_free(&p);
	ksyms_free(&k);
	free(s);
}

/*
 * A kernel that has merged two functions against one that has not: one name, for all three. What
 * shares no name with others keeps its own, and without the first kernel all do.
 */
TEST(test_one_name)
{
	char merged[] = "ffffffff81000000 t ct_enter\nffffffff81000000 t ct_exit\nffffffff81000100 t alone\n"
			"ffffffff81000200 t nop_a\nffffffff81000200 t nop_b\n";
	char apart[] = "ffffffff81000000 t ct_exit\nffffffff81000100 t ct_enter\nffffffff81000200 t alone\n"
		       "ffffffff81000300 t nop_b\n";
	struct ksym_used list[8];
	struct ksyms k[2];
	size_t n = 0, i, side, aliases;

	assert_int_equal(ksyms_parse(&k[0], merged), 0);
	assert_int_equal(ksyms_parse(&k[1], apart), 0);
	assert_int_equal(k[0].n, 3);
	ksyms_aliases(&k[0], &k[0].sym[0], &aliases);
	assert_int_equal(aliases, 1);
	ksyms_aliases(&k[0], &k[0].sym[1], &aliases);
	assert_int_equal(aliases, 0);
	for (side = 0; side < 2; side++)
		for (i = 0; i < k[side].n; i++)
			list[n++] = (struct ksym_used){ .of = &k[side], .s = &k[side].sym[i] };
	ksyms_unite(list, n);
	assert_string_equal(k[0].sym[0].name, "ct_enter");
	assert_string_equal(k[1].sym[0].name, "ct_enter");
	assert_string_equal(k[1].sym[1].name, "ct_enter");
	assert_string_equal(k[0].sym[1].name, "alone");
	assert_string_equal(k[1].sym[2].name, "alone");
	assert_string_equal(k[0].sym[2].name, "nop_b");
	assert_string_equal(k[1].sym[3].name, "nop_b");
	ksyms_unite(list + 3, n - 3);
	assert_string_equal(k[1].sym[0].name, "ct_exit");
	ksyms_free(&k[0]);
	ksyms_free(&k[1]);
}

/* Names of C++ become the source's; names of the kernel stay. */
TEST(test_demangled)
{
	char name[FUNCTION_LEN];

	assert_string_equal(function_name(name, "_ZN5audio6Engine7processEi", "server"), "audio::Engine::process(int) [server]");
	assert_string_equal(function_name(name, "main", "server"), "main [server]");
	assert_string_equal(function_name(name, "_ZN5audio6Engine7processEi", ""), "_ZN5audio6Engine7processEi");
}

TEST(test_call_and_return)
{
	assert_stacks("segment ffffffff81000000 16 4 c\n"
		      "segment ffffffff81000100 16 5 r\n"
		      "segment ffffffff81000010 8 2 c\n"
		      "path 0 1 2 1 t1 t2 t3\n",
		      "outer 6\nouter;inner 10\n");
}

/* A caller is known only when its function returns to it. */
TEST(test_callers_are_learned)
{
	assert_stacks("segment ffffffff81000108 8 3 r\n"
		      "segment ffffffff81000040 8 2 r\n"
		      "segment ffffffff81000210 8 1 -\n"
		      "path 0 1 2 t1 t2 t3\n",
		      "second;outer;inner 3\nsecond;outer 2\nsecond 1\n");
}

/* A jump to another function returns to the caller of the first. */
TEST(test_tail_call)
{
	assert_stacks("segment ffffffff81000000 16 4 c\n"
		      "segment ffffffff81000100 16 5 j\n"
		      "segment ffffffff81000200 16 6 r\n"
		      "segment ffffffff81000010 8 2 -\n"
		      "path 0 1 2 3 t1 t2 t3\n",
		      "outer 6\nouter;inner 5\nouter;second 6\n");
}

/* The unlikely part of a function is the function. */
TEST(test_cold)
{
	assert_stacks("segment ffffffff81000000 16 4 c\n"
		      "segment ffffffff81000100 16 5 b\n"
		      "segment ffffffff81000300 16 6 j\n"
		      "segment ffffffff81000120 8 7 r\n"
		      "segment ffffffff81000010 8 2 -\n"
		      "path 0 1 2 3 4 t1 t2 t3\n",
		      "outer 6\nouter;inner 18\n");
}

/* A retpoline: calls a place in itself, and returns to a place that has called nothing. */
TEST(test_retpoline)
{
	assert_stacks("segment ffffffff81000000 16 4 c\n"
		      "segment ffffffff81000900 5 1 c\n"
		      "segment ffffffff81000920 5 2 r\n"
		      "segment ffffffff81000100 16 5 r\n"
		      "segment ffffffff81000010 8 2 -\n"
		      "path 0 1 2 3 4 t1 t2 t3\n",
		      "outer 6\nouter;thunk 3\nouter;inner 5\n");
}

/* An interrupt comes between any two instructions, also within another one. */
TEST(test_interrupts)
{
	assert_stacks("segment ffffffff81000000 16 4 c\n"
		      "segment ffffffff81000100 8 2 -\n"
		      "segment ffffffff81000400 16 3 c\n"
		      "segment ffffffff81000200 16 5 b\n"
		      "segment ffffffff81000400 8 1 l\n"
		      "segment ffffffff81000210 8 6 r\n"
		      "segment ffffffff81000410 8 2 l\n"
		      "segment ffffffff81000108 8 2 r\n"
		      "segment ffffffff81000010 8 2 -\n"
		      "path 0 1 2 3 4 5 6 7 8 t1 t2 t3\n",
		      "outer 6\nouter;inner 4\n"
		      "outer;inner;*asm_sysvec_apic_timer_interrupt 5\n"
		      "outer;inner;*asm_sysvec_apic_timer_interrupt;second 11\n"
		      "outer;inner;*asm_sysvec_apic_timer_interrupt;second;*asm_sysvec_apic_timer_interrupt 1\n");
}

/* The CPU was halted: what the interrupt has interrupted is known at its end. */
TEST(test_interrupt_first)
{
	assert_stacks("segment ffffffff81000400 16 3 l\n"
		      "segment ffffffff81000110 8 2 r\n"
		      "segment ffffffff81000010 8 2 -\n"
		      "path 0 1 2 t1 t2 t3\n",
		      "outer;inner 2\nouter;inner;*asm_sysvec_apic_timer_interrupt 3\nouter 2\n");
}

/* Two tasks call __schedule() at the same place; the second one has another caller. */
TEST(test_switch)
{
	assert_stacks("segment ffffffff81000000 16 4 c\n"
		      "segment ffffffff81000700 16 5 c\n"
		      "segment ffffffff81000500 16 6 j\n"
		      "segment ffffffff81000600 16 7 r\n"
		      "segment ffffffff81000710 8 2 r\n"
		      "segment ffffffff81000810 8 3 -\n"
		      "path 0 1 2 3 4 5 t1 t2 t3\n",
		      "outer 4\nouter;__schedule 5\nouter;__schedule;__switch_to_asm 6\n"
		      "outer;__schedule;__switch_to 7\nschedule 3\nschedule;__schedule 2\n");
}

/* ns of this thread to unwind a path of @switches, the shortest of three times. */
static uint64_t time_of_switches(size_t switches)
{
	static const struct ksym schedule = { .name = "__schedule" };
	static const struct ksym leave = { .name = "__switch_to_asm" };
	static const struct place place[] = {
		{ .function = &schedule }, { .function = &leave, .start = true },
	};
	struct segment segment[] = { { 0x710, 8, 2, 'c' }, { 0x500, 16, 6, 'r' } };
	const struct profile p = { .segment = segment, .segments = ARRAY_SIZE(segment) };
	struct path path = { .steps = 2 * switches, .end = { 0, 0, 2 * switches } };
	uint64_t shortest = UINT64_MAX, ns;
	struct timespec from, to;
	struct tree t;
	size_t i;

	path.step = calloc(path.steps, sizeof(*path.step));
	assert_non_null(path.step);
	for (i = 0; i < path.steps; i++)
		path.step[i] = (struct step){ i % 2, 1 };
	for (i = 0; i < 3; i++) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
		assert_int_equal(unwind(&t, &p, place, &path), 0);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
		ns = 1000000000ULL * (to.tv_sec - from.tv_sec) + to.tv_nsec - from.tv_nsec;
		shortest = ns < shortest ? ns : shortest;
		tree_free(&t);
	}
	free(path.step);
	return shortest;
}

/* 16 times as many switches take some 16 times as long, not 256 times. */
TEST(test_many_switches)
{
	uint64_t few = time_of_switches(500), many = time_of_switches(8000);

	if (many > 64 * few)
		fail_msg("%.3f ms, then %.3f ms", few / 1e6, many / 1e6);
}

/* Any path: calls of a function by one other, from one jump, are one node. */
TEST(test_nodes_differ)
{
	static const struct ksym f[] = {
		{ .name = "a" }, { .name = "b" }, { .name = "c" }, { .name = "asm_exc_page_fault" },
		{ .name = "__x86_indirect_thunk_rax" }, { .name = "__switch_to_asm" },
	};
	struct segment segment[4 * ARRAY_SIZE(f)] = { 0 };
	struct place place[ARRAY_SIZE(segment)];
	struct step step[300];
	const struct profile p = { .segment = segment, .segments = ARRAY_SIZE(segment) };
	const struct path path = {
		.step = step, .steps = ARRAY_SIZE(step), .end = { 0, 0, ARRAY_SIZE(step) },
	};
	uint64_t seed = 9;
	unsigned int round;
	struct tree t;
	size_t i, k;

	for (round = 0; round < 300; round++) {
		for (i = 0; i < ARRAY_SIZE(segment); i++) {
			segment[i] = (struct segment){ 0x1000 * (i / 4) + 4 * (i % 4), 4, 1,
						       "-bjicrrcjsl"[unit_random(&seed) % 11] };
			place[i] = (struct place){ &f[i / 4], !(i % 4), i / 4 == 3 && !(i % 4) };
		}
		for (i = 0; i < ARRAY_SIZE(step); i++)
			step[i] = (struct step){ unit_random(&seed) % ARRAY_SIZE(segment), 1 };
		assert_int_equal(unwind(&t, &p, place, &path), 0);
		for (i = 0; i < t.n; i++)
			for (k = 0; k < i && t.node[i].parent != NODE_NONE; k++)
				assert_false(t.node[k].parent == t.node[i].parent &&
					     t.node[k].function == t.node[i].function &&
					     t.node[k].entered == t.node[i].entered &&
					     t.node[k].jumped_from == t.node[i].jumped_from);
		tree_free(&t);
	}
}

TEST(test_system_call)
{
	assert_stacks("segment 401000 16 9 s\n"
		      "segment ffffffff81000a00 16 3 c\n"
		      "segment ffffffffc0000000 16 5 r\n"
		      "segment ffffffff81000a10 8 2 l\n"
		      "segment 401010 8 7 b\n"
		      "path 0 1 2 3 4*3 t1 t2 t3\n",
		      "[user] 30\n[user];*entry_SYSCALL_64 5\n[user];*entry_SYSCALL_64;probe 5\n");
}

/*
 * arm64: the vector of the interrupt looks for an overflow of the stack, then jumps, and eret ends
 * it. The code behind its entry is not another entry.
 */
TEST(test_arm64_interrupt)
{
	assert_stacks("segment ffffffff81000000 16 4 c\n"
		      "segment ffffffff81000100 8 2 -\n"
		      "segment ffffffff81001280 20 5 b\n"
		      "segment ffffffff81001294 4 1 j\n"
		      "segment ffffffff81001800 16 4 c\n"
		      "segment ffffffff81000200 16 6 r\n"
		      "segment ffffffff81001810 8 2 l\n"
		      "segment ffffffff81000108 8 2 r\n"
		      "segment ffffffff81000010 8 2 -\n"
		      "path 0 1 2 3 4 5 6 7 8 t1 t2 t3\n",
		      "outer 6\nouter;inner 4\nouter;inner;*vectors 6\n"
		      "outer;inner;*el1h_64_irq 6\nouter;inner;*el1h_64_irq;second 6\n");
}

/* An instruction of a program that faults: nothing says so but the entry, of code at EL0. */
TEST(test_arm64_system_call)
{
	assert_stacks("segment aaaaaaaa1000 16 9 s\n"
		      "segment ffffffff81001400 16 3 c\n"
		      "segment ffffffffc0000000 16 5 r\n"
		      "segment ffffffff81001410 8 2 l\n"
		      "segment aaaaaaaa1010 8 7 -\n"
		      "path 0 1 2 3 4 1 2 3 t1 t2 t3\n",
		      "[user] 16\n[user];*vectors 10\n[user];*vectors;probe 10\n");
}

TEST(test_arm64_switch)
{
	assert_stacks("segment ffffffff81000700 16 5 c\n"
		      "segment ffffffff81001900 16 6 r\n"
		      "segment ffffffff81000608 8 2 r\n"
		      "segment ffffffff81000710 8 2 -\n"
		      "path 0 1 2 3 t1 t2 t3\n",
		      "__schedule 5\n__schedule;cpu_switch_to 6\n__schedule 2\n__schedule;__switch_to 2\n");
}

/* ---- symbols ---- */

TEST(test_symbols)
{
	char *s = strdup(symbols), none[] = "0000000000000000 T a\n0000000000000000 t b\n", empty[] = "\n";
	struct ksyms k;

	assert_int_equal(ksyms_parse(&k, s), 0);
	assert_null(ksyms_at(&k, 0xffffffff80ffffff));
	assert_string_equal(ksyms_at(&k, 0xffffffff810000ff)->name, "outer");
	assert_string_equal(ksyms_at(&k, 0xffffffff81000100)->name, "inner");
	assert_string_equal(ksyms_at(&k, 0xffffffff81000204)->name, "second");
	assert_string_equal(ksyms_at(&k, 0xffffffffc0000004)->module, "mine");
	assert_string_equal(ksyms_named(&k, "probe")->module, "mine");
	assert_null(ksyms_named(&k, "alias"));
	ksyms_free(&k);
	free(s);
	assert_int_equal(ksyms_parse(&k, none), -EPERM);
	assert_int_equal(ksyms_parse(&k, empty), -ENODATA);
}

UNIT_MAIN(NULL, NULL)
