// SPDX-License-Identifier: GPL-2.0
/*
 * The plugin without QEMU: how instructions continue, and what is written of blocks that a test
 * executes.
 */
#include "unit.h"
#include "../../tools/tlob-lab/plugin/window.c"

#define ARM	0xffffffffc0001000
#define FIRE	0xffffffffc0002000
#define BEGIN	0xffffffffc0003000
#define END	0xffffffffc0004000
#define CODE	0xffffffff81000000

static char *text;
static size_t size;
static uint64_t executed;

/* A block of @n instructions of 4 bytes each. It is never freed, as in the plugin. */
static const struct block *block(uint64_t address, uint32_t n, enum ending ending)
{
	static struct block *made[256];
	static size_t used = 0;
	struct block *b = calloc(1, sizeof(*b) + (n + 1) * sizeof(b->offset[0]));
	uint32_t i;

	assert_non_null(b);
	assert_true(used < ARRAY_SIZE(made));
	made[used++] = b;
	b->address = address;
	b->n = n;
	b->ending = ending;
	b->mark = mark_of(address);
	for (i = 0; i <= n; i++)
		b->offset[i] = 4 * i;
	return b;
}

static void execute_part(const struct block *b, uint32_t n)
{
	block_begins(b, executed);
	executed += n;
}

static void execute(uint64_t address, uint32_t n, enum ending ending)
{
	execute_part(block(address, n, ending), n);
}

static void begin_with(const uint64_t address[NR_MARKS], const uint64_t *wakes, unsigned long n)
{
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	memset(&w, 0, sizeof(w));
	assert_int_equal(windows_init(f, address, wakes, n), 0);
}

static void begin(const uint64_t *wakes, unsigned long n)
{
	const uint64_t address[NR_MARKS] = {
		[MARK_ARM] = ARM, [MARK_FIRE] = FIRE, [MARK_BEGIN] = BEGIN,
		[MARK_END] = END,
	};

	begin_with(address, wakes, n);
}

static void finish(const char *wanted)
{
	size_t i;

	assert_int_equal(windows_finish(), 0);
	fclose(w.out);
	assert_string_equal(text, wanted);
	free(text);
	for (i = 0; i < w.paths; i++)
		free(w.path[i].token);
	free(w.visit);
	free(w.access);
	free(w.segment);
	free(w.slot);
	free(w.path);
	free(w.token);
	free(w.seen);
}

/* Handler, thread, work: 10, 20 and 30 instructions up to the three readings of the clock. */
static void window(void)
{
	execute(FIRE, 4, ENDS_JUMP);
	execute(FIRE + 0x100, 6, ENDS_CLOCK);
	execute(FIRE + 0x118, 5, ENDS_RETURN);
	execute(BEGIN, 15, ENDS_CLOCK);
	execute(BEGIN + 60, 7, ENDS_RETURN);
	execute(END, 23, ENDS_CLOCK);
	execute(END + 92, 1, ENDS_RETURN);
}

/* The code of an interrupt's entry, and then that of window(). */
#define SEGMENTS \
	"segment ffffffff81000080 8 2 c\n" \
	"segment ffffffffc0002000 16 4 j\n" \
	"segment ffffffffc0002100 24 6 t\n" \
	"segment ffffffffc0002118 20 5 r\n" \
	"segment ffffffffc0003000 60 15 t\n" \
	"segment ffffffffc000303c 28 7 r\n" \
	"segment ffffffffc0004000 92 23 t\n"

TEST(test_idle)
{
	const uint64_t wakes[] = { 90 };

	begin(wakes, 1);
	execute(CODE + 0x900, 9, ENDS_JUMP);	/* no thread waits yet */
	execute(ARM, 50, ENDS_RETURN);
	execute(CODE, 3, ENDS_HALT);
	execute(CODE + 0x40, 8, ENDS_CALL);	/* an interrupt before the expiry */
	execute(CODE, 3, ENDS_HALT);
	execute(CODE + 0x80, 2, ENDS_CALL);
	window();
	finish("tlob-plugin 1\n"
	       SEGMENTS
	       "path 0 1 2 t1 3 4 t2 5 6 t3\n"
	       "window 0 32 30 0 0 idle\n"
	       "end 1\n");
}

/* The expiry lies in the middle of a block. */
TEST(test_busy)
{
	const uint64_t wakes[] = { 33 };

	begin(wakes, 1);
	execute(ARM, 50, ENDS_RETURN);
	execute(CODE, 8, ENDS_JUMP);
	execute(CODE + 0x80, 2, ENDS_CALL);
	window();
	finish("tlob-plugin 1\n"
	       "segment ffffffff8100001c 4 1 j\n"
	       SEGMENTS
	       "path 0 1 2 3 t1 4 5 t2 6 7 t3\n"
	       "window 0 33 30 0 0 busy\n"
	       "end 1\n");
}

/*
 * The same instructions are the same path, wherever QEMU cut its blocks. A block that was left
 * early is counted as far as it went.
 */
TEST(test_blocks_do_not_matter)
{
	const uint64_t wakes[] = { 90, 90 };

	begin(wakes, 2);
	execute(ARM, 1, ENDS_RETURN);
	execute(CODE, 3, ENDS_HALT);
	execute(CODE + 0x80, 6, ENDS_CALL);
	window();
	execute(ARM, 1, ENDS_RETURN);
	execute(CODE, 3, ENDS_HALT);
	execute_part(block(CODE + 0x80, 4, ENDS_CALL), 1);
	execute(CODE + 0x84, 2, ENDS_PLAIN);
	execute(CODE + 0x8c, 3, ENDS_CALL);
	window();
	finish("tlob-plugin 1\n"
	       "segment ffffffff81000080 24 6 c\n"
	       "segment ffffffffc0002000 16 4 j\n"
	       "segment ffffffffc0002100 24 6 t\n"
	       "segment ffffffffc0002118 20 5 r\n"
	       "segment ffffffffc0003000 60 15 t\n"
	       "segment ffffffffc000303c 28 7 r\n"
	       "segment ffffffffc0004000 92 23 t\n"
	       "path 0 1 2 t1 3 4 t2 5 6 t3\n"
	       "window 0 36 30 0 0 idle\n"
	       "window 0 36 30 0 0 idle\n"
	       "end 2\n");
}

/* A window that is armed and never fires leaves nothing; repeats are counted. */
TEST(test_given_up_and_repeats)
{
	const uint64_t wakes[] = { 90 };
	int i;

	begin(wakes, 1);
	execute(ARM, 1, ENDS_RETURN);
	execute(CODE, 3, ENDS_HALT);
	execute(CODE + 0x80, 6, ENDS_CALL);
	execute(ARM, 1, ENDS_RETURN);
	execute(CODE, 3, ENDS_HALT);
	for (i = 0; i < 5; i++)
		execute(CODE + 0x200, 1, ENDS_BRANCH);
	window();
	finish("tlob-plugin 1\n"
	       "segment ffffffff81000200 4 1 b\n"
	       "segment ffffffffc0002000 16 4 j\n"
	       "segment ffffffffc0002100 24 6 t\n"
	       "segment ffffffffc0002118 20 5 r\n"
	       "segment ffffffffc0003000 60 15 t\n"
	       "segment ffffffffc000303c 28 7 r\n"
	       "segment ffffffffc0004000 92 23 t\n"
	       "path 0*5 1 2 t1 3 4 t2 5 6 t3\n"
	       "window 0 35 30 0 0 idle\n"
	       "end 1\n");
}

/* A window that is too long has no line, but it is one of the windows, and has a wake. */
TEST(test_too_long)
{
	const uint64_t wakes[] = { 90, 33 };
	int i;

	begin(wakes, 2);
	w.most_visits = 12;
	execute(ARM, 1, ENDS_RETURN);
	for (i = 0; i < 20; i++)
		execute(CODE + 0x200, 1, ENDS_BRANCH);
	window();
	assert_int_equal(windows_seen(), 1);
	execute(ARM, 50, ENDS_RETURN);
	execute(CODE, 8, ENDS_JUMP);
	execute(CODE + 0x80, 2, ENDS_CALL);
	window();
	finish("tlob-plugin 1\n"
	       "segment ffffffff8100001c 4 1 j\n"
	       SEGMENTS
	       "path 0 1 2 3 t1 4 5 t2 6 7 t3\n"
	       "window 0 33 30 0 0 busy\n"
	       "end 2\n");
}

/* A window of an idle CPU begins at the last halt: code before it may be of any length. */
TEST(test_too_long_before_halt)
{
	const uint64_t wakes[] = { 90 };
	int i;

	begin(wakes, 1);
	w.most_visits = 12;
	execute(ARM, 50, ENDS_RETURN);
	for (i = 0; i < 20; i++)
		execute(CODE + 0x200, 1, ENDS_BRANCH);
	execute(CODE, 3, ENDS_HALT);
	execute(CODE + 0x80, 2, ENDS_CALL);
	window();
	finish("tlob-plugin 1\n"
	       SEGMENTS
	       "path 0 1 2 t1 3 4 t2 5 6 t3\n"
	       "window 0 32 30 0 0 idle\n"
	       "end 1\n");
}

/* A region that is too long. test_explain.c has what the tool says of this file. */
TEST(test_too_long_region)
{
	const uint64_t address[NR_MARKS] = { [MARK_BEGIN] = BEGIN, [MARK_END] = END };
	int i;

	begin_with(address, NULL, 0);
	w.most_visits = 12;
	execute(BEGIN, 15, ENDS_CLOCK);
	for (i = 0; i < 20; i++)
		execute(CODE, 1, ENDS_BRANCH);
	execute(END, 23, ENDS_CLOCK);
	execute(END + 92, 1, ENDS_RETURN);
	finish("tlob-plugin 1\nend 1\n");
}

/*
 * A region begins at its start's reading of the clock. A halt in it does not end it, a start in it
 * is nested, and a stop without a start is nothing.
 */
TEST(test_region)
{
	const uint64_t address[NR_MARKS] = { [MARK_BEGIN] = BEGIN, [MARK_END] = END };

	begin_with(address, NULL, 0);
	execute(0, 1, ENDS_JUMP);		/* the address of no mark */
	execute(END, 23, ENDS_CLOCK);
	execute(BEGIN, 15, ENDS_CLOCK);
	memory_accessed(CODE, 8);
	execute(BEGIN + 60, 7, ENDS_RETURN);
	execute(CODE, 3, ENDS_HALT);
	execute(BEGIN, 2, ENDS_JUMP);
	execute(CODE + 0x40, 4, ENDS_CLOCK);
	execute(END, 23, ENDS_CLOCK);
	execute(CODE + 0x80, 5, ENDS_RETURN);
	execute(BEGIN, 1, ENDS_JUMP);
	execute(BEGIN + 0x100, 2, ENDS_CLOCK);
	execute(CODE + 0x80, 6, ENDS_RETURN);
	execute(END, 23, ENDS_CLOCK);
	execute(CODE + 0x90, 1, ENDS_RETURN);
	finish("tlob-plugin 1\n"
	       "segment ffffffffc000303c 28 7 r\n"
	       "segment ffffffff81000000 12 3 h\n"
	       "segment ffffffffc0003000 8 2 j\n"
	       "segment ffffffff81000040 16 4 t\n"
	       "segment ffffffffc0004000 92 23 t\n"
	       "path t1 t2 0 1 2 3 4 t3\n"
	       "window 0 0 39 0 0 armed\n"
	       "segment ffffffff81000080 24 6 r\n"
	       "path t1 t2 5 4 t3\n"
	       "window 1 0 29 0 0 armed\n"
	       "end 2\n");
}

TEST(test_lines)
{
	const uint64_t wakes[] = { 90 };

	begin(wakes, 1);
	execute(ARM, 1, ENDS_RETURN);
	memory_accessed(0x9000, 8);		/* before the halt */
	execute(CODE, 3, ENDS_HALT);
	execute(CODE + 0x80, 2, ENDS_CALL);
	memory_accessed(0x1000, 8);
	memory_accessed(0x1038, 8);		/* the same line */
	memory_accessed(0x107c, 8);		/* two lines */
	execute(FIRE, 10, ENDS_CLOCK);
	memory_accessed(0x1000, 1);
	execute(BEGIN, 20, ENDS_CLOCK);
	execute(BEGIN + 80, 7, ENDS_RETURN);
	memory_accessed(0x2000, 4);
	execute(END, 23, ENDS_CLOCK);
	execute(END + 92, 1, ENDS_RETURN);
	memory_accessed(0x3000, 4);		/* behind t3 */
	finish("tlob-plugin 1\n"
	       "segment ffffffff81000080 8 2 c\n"
	       "segment ffffffffc0002000 40 10 t\n"
	       "segment ffffffffc0003000 80 20 t\n"
	       "segment ffffffffc0003050 28 7 r\n"
	       "segment ffffffffc0004000 92 23 t\n"
	       "path 0 1 t1 2 t2 3 4 t3\n"
	       "window 0 32 30 3 1 idle\n"
	       "end 1\n");
}

TEST(test_endings)
{
	static const struct {
		uint8_t code[8];
		size_t size;
		enum ending ending;
	} test[] = {
		{ { 0x90 }, 1, ENDS_PLAIN },
		{ { 0x48, 0x89, 0xe5 }, 3, ENDS_PLAIN },
		{ { 0x74, 0x02 }, 2, ENDS_BRANCH },
		{ { 0x2e, 0x75, 0x02 }, 3, ENDS_BRANCH },
		{ { 0x0f, 0x84, 0, 0, 0, 0 }, 6, ENDS_BRANCH },
		{ { 0xe2, 0xfe }, 2, ENDS_BRANCH },
		{ { 0xeb, 0xfe }, 2, ENDS_JUMP },
		{ { 0xe9, 0, 0, 0, 0 }, 5, ENDS_JUMP },
		{ { 0xff, 0xe0 }, 2, ENDS_INDIRECT },
		{ { 0x41, 0xff, 0xe3 }, 3, ENDS_INDIRECT },
		{ { 0xff, 0xd0 }, 2, ENDS_CALL },
		{ { 0x41, 0xff, 0x14, 0x24 }, 4, ENDS_CALL },
		{ { 0xff, 0xc0 }, 2, ENDS_PLAIN },	/* inc */
		{ { 0xff, 0x30 }, 2, ENDS_PLAIN },	/* push */
		{ { 0xe8, 0, 0, 0, 0 }, 5, ENDS_CALL },
		{ { 0xc3 }, 1, ENDS_RETURN },
		{ { 0xf3, 0xc3 }, 2, ENDS_RETURN },
		{ { 0xc2, 8, 0 }, 3, ENDS_RETURN },
		{ { 0x48, 0xcf }, 2, ENDS_LEAVE },
		{ { 0x48, 0x0f, 0x07 }, 3, ENDS_LEAVE },
		{ { 0x0f, 0x05 }, 2, ENDS_SYSCALL },
		{ { 0xcc }, 1, ENDS_SYSCALL },
		{ { 0x0f, 0x31 }, 2, ENDS_CLOCK },
		{ { 0x0f, 0x01, 0xf9 }, 3, ENDS_CLOCK },
		{ { 0x0f, 0x01, 0xca }, 3, ENDS_PLAIN },	/* clac */
		{ { 0x0f, 0xae, 0xe8 }, 3, ENDS_PLAIN },	/* lfence */
		{ { 0xf4 }, 1, ENDS_HALT },
		{ { 0x40 }, 1, ENDS_PLAIN },		/* REX alone, cut off */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(test); i++)
		if (ending_of_x86_64(test[i].code, test[i].size) != test[i].ending)
			fail_msg("row %zu: %c", i, ending_of_x86_64(test[i].code, test[i].size));
}

/* The encodings by aarch64-linux-gnu-as. */
TEST(test_endings_of_arm64)
{
	static const struct {
		uint32_t insn;
		enum ending ending;
	} test[] = {
		{ 0x14000000, ENDS_JUMP },	/* b */
		{ 0x17ffffff, ENDS_JUMP },
		{ 0x97ffffff, ENDS_CALL },	/* bl */
		{ 0x54ffffc0, ENDS_BRANCH },	/* b.eq */
		{ 0xb4ffffa0, ENDS_BRANCH },	/* cbz x0 */
		{ 0x35ffff83, ENDS_BRANCH },	/* cbnz w3 */
		{ 0x361fff60, ENDS_BRANCH },	/* tbz w0, #3 */
		{ 0xb747ff45, ENDS_BRANCH },	/* tbnz x5, #40 */
		{ 0xd61f0060, ENDS_INDIRECT },	/* br x3 */
		{ 0xd71f0822, ENDS_INDIRECT },	/* braa x1, x2 */
		{ 0xd61f093f, ENDS_INDIRECT },	/* braaz x9 */
		{ 0xd63f0200, ENDS_CALL },	/* blr x16 */
		{ 0xd63f083f, ENDS_CALL },	/* blraaz x1 */
		{ 0xd73f0c22, ENDS_CALL },	/* blrab x1, x2 */
		{ 0xd65f03c0, ENDS_RETURN },	/* ret */
		{ 0xd65f0020, ENDS_RETURN },	/* ret x1 */
		{ 0xd65f0bff, ENDS_RETURN },	/* retaa */
		{ 0xd69f03e0, ENDS_LEAVE },	/* eret */
		{ 0xd69f0bff, ENDS_LEAVE },	/* eretaa */
		{ 0xd4000001, ENDS_SYSCALL },	/* svc */
		{ 0xd4210000, ENDS_SYSCALL },	/* brk */
		{ 0xd4000002, ENDS_PLAIN },	/* hvc */
		{ 0xd4000003, ENDS_PLAIN },	/* smc */
		{ 0xd503207f, ENDS_HALT },	/* wfi */
		{ 0xd5031025, ENDS_HALT },	/* wfit x5 */
		{ 0xd503205f, ENDS_PLAIN },	/* wfe: QEMU continues at once */
		{ 0xd503201f, ENDS_PLAIN },	/* nop */
		{ 0xd53be043, ENDS_CLOCK },	/* mrs x3, cntvct_el0 */
		{ 0xd53be023, ENDS_CLOCK },	/* mrs x3, cntpct_el0 */
		{ 0xd53be0de, ENDS_CLOCK },	/* mrs x30, cntvctss_el0 */
		{ 0xd53be0be, ENDS_CLOCK },	/* mrs x30, cntpctss_el0 */
		{ 0xd53be001, ENDS_PLAIN },	/* mrs x1, cntfrq_el0 */
		{ 0xd53be321, ENDS_PLAIN },	/* mrs x1, cntv_ctl_el0 */
		{ 0xd53bd041, ENDS_PLAIN },	/* mrs x1, tpidr_el0 */
		{ 0xd50342ff, ENDS_PLAIN },	/* msr daifclr, #2 */
		{ 0xf9400020, ENDS_PLAIN },	/* ldr x0, [x1] */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(test); i++) {
		const uint8_t code[4] = {
			test[i].insn, test[i].insn >> 8, test[i].insn >> 16, test[i].insn >> 24,
		};

		if (ending_of_arm64(code, 4) != test[i].ending)
			fail_msg("row %zu: %c", i, ending_of_arm64(code, 4));
		/* a 32-bit program may have instructions of 2 bytes */
		assert_int_equal(ending_of_arm64(code, 2), ENDS_PLAIN);
	}
}

UNIT_MAIN(NULL, NULL)
