// SPDX-License-Identifier: GPL-2.0
/*
 * The unwinder of the wait profiler, on copies of this program's own stack: with the registers of
 * the machine that it runs on, and with return addresses that arm64 signs.
 */
#include "unit.h"

#include <dirent.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "waits/unwind.h"

#ifdef __aarch64__
#define SIGNED __attribute__((target("branch-protection=pac-ret")))
#else
#define SIGNED
#endif

static struct tlob_wait_copy copy;

/*
 * Reads beyond what it may, as the kernel does when it copies a stack, and to its end at most: the
 * name of the program is the last there. With a small environment that is less than a copy takes.
 */
static __attribute__((noinline, no_sanitize("address"))) void take(uint64_t sp, size_t length)
{
	const unsigned char *from = (const unsigned char *)sp;
	size_t i, most = getauxval(AT_EXECFN) - sp;

	if (length > most)
		length = most;
	copy.tgid = (uint32_t)getpid();
	copy.reg[TLOB_WAIT_REG_SP] = sp;
	copy.length = (uint32_t)length;
	for (i = 0; i < length; i++)
		copy.data[i] = from[i];
}

/* A macro, so that all registers are read at one place in the caller. */
#ifdef __aarch64__
#define TAKE(length)								\
do {										\
	uint64_t sp_, ip_, fp_, lr_;						\
										\
	asm volatile("mov %0, sp; adr %1, .; mov %2, x29; mov %3, x30"		\
		     : "=&r" (sp_), "=&r" (ip_), "=&r" (fp_), "=&r" (lr_));	\
	copy.reg[TLOB_WAIT_REG_IP] = ip_;					\
	copy.reg[TLOB_WAIT_REG_FP] = fp_;					\
	copy.reg[TLOB_WAIT_REG_LR] = lr_;					\
	take(sp_, length);							\
} while (0)
#else
#define TAKE(length)								\
do {										\
	uint64_t sp_, ip_;							\
										\
	asm volatile("mov %%rsp, %0; lea 0(%%rip), %1; mov %%rbx, %2;"		\
		     "mov %%rbp, %3; mov %%r12, %4; mov %%r13, %5;"		\
		     "mov %%r14, %6; mov %%r15, %7"				\
		     : "=&r" (sp_), "=&r" (ip_),				\
		       "=m" (copy.reg[TLOB_WAIT_REG_BX]),			\
		       "=m" (copy.reg[TLOB_WAIT_REG_BP]),			\
		       "=m" (copy.reg[TLOB_WAIT_REG_R12]),			\
		       "=m" (copy.reg[TLOB_WAIT_REG_R13]),			\
		       "=m" (copy.reg[TLOB_WAIT_REG_R14]),			\
		       "=m" (copy.reg[TLOB_WAIT_REG_R15]));			\
	copy.reg[TLOB_WAIT_REG_IP] = ip_;					\
	take(sp_, length);							\
} while (0)
#endif

/* It calls, so its return address is on the stack, signed where others are. */
static SIGNED __attribute__((noinline)) void inner(size_t length)
{
	TAKE(length);
	asm volatile("");
}

static SIGNED __attribute__((noinline)) void outer(size_t length)
{
	inner(length);
	asm volatile("");
}

/* The frames of the copy, with " < " between them. A second time its addresses are known. */
static char *unwound(bool *whole)
{
	static char text[4096];
	const struct wait_frame *frame[UNWIND_FRAMES], *again[UNWIND_FRAMES];
	struct unwind *u = unwind_new(UNWIND_DWARF);
	size_t i, n, at = 0;

	assert_non_null(u);
	n = unwind_copy(u, &copy, frame, whole);
	assert_int_equal(unwind_copy(u, &copy, again, whole), n);
	for (i = 0; i < n; i++)
		assert_ptr_equal(frame[i], again[i]);
	text[0] = '\0';
	for (i = 0; i < n && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? " < " : "",
				       frame[i]->name);
	unwind_free(u);
	return text;
}

TEST(test_callers)
{
	const char *path;
	bool whole;

	outer(TLOB_WAIT_COPY_MAX);
	path = unwound(&whole);
	if (strncmp(path, "inner < outer < test_callers < ", 31) || !strstr(path, " < main < "))
		fail_msg("%s", path);
	assert_true(whole);
}

#ifdef __aarch64__
/* Else the test above has no signed address to unwind. */
TEST(test_signed)
{
	uint64_t word, marked = 0;
	size_t i;

	outer(256);
	for (i = 0; i < 256; i += sizeof(word)) {
		memcpy(&word, copy.data + i, sizeof(word));
		marked += word >> 48 && !(word >> 55) &&
			  (word & 0xffffffffffff) - (uintptr_t)outer < 64;
	}
	assert_true(marked);
}
#endif

/* The copy ends before main(): its callers are unknown. */
TEST(test_cut)
{
	const char *path;
	bool whole;

	outer(96);
	path = unwound(&whole);
	if (strncmp(path, "inner < ", 8) || strstr(path, " < main"))
		fail_msg("%s", path);
	assert_false(whole);
}

/* How many processes are known: each has this program open once. */
static int open_programs(void)
{
	char self[PATH_MAX] = "", target[PATH_MAX], path[NAME_MAX + 32];
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	int n = 0;

	assert_non_null(dir);
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	while ((e = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/fd/%s", e->d_name);
		memset(target, 0, sizeof(target));
		n += readlink(path, target, sizeof(target) - 1) > 0 && !strcmp(self, target);
	}
	closedir(dir);
	return n;
}

/* Its code is where ours is, so its stack may be a copy of ours. */
static pid_t fork_idle(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void unwind_child(struct unwind *u, pid_t pid)
{
	const struct wait_frame *frame[UNWIND_FRAMES];
	bool whole;

	copy.tgid = (uint32_t)pid;
	assert_true(unwind_copy(u, &copy, frame, &whole) > 1);
	assert_string_equal(frame[0]->name, "inner");
}

/* The 70th is known, and the first again. */
TEST(test_many_processes)
{
	struct unwind *u = unwind_new(UNWIND_DWARF);
	pid_t child[70];
	size_t i;

	outer(96);
	for (i = 0; i < 70; i++) {
		child[i] = fork_idle();
		unwind_child(u, child[i]);
	}
	assert_int_equal(open_programs(), 64);
	unwind_child(u, child[69]);
	unwind_child(u, child[0]);
	assert_int_equal(open_programs(), 64);
	for (i = 0; i < 70; i++)
		end_child(child[i]);
	unwind_child(u, child[69]);
	unwind_free(u);
	assert_int_equal(open_programs(), 0);
}

/* One after the other: what is known of them does not add up. */
TEST(test_short_processes)
{
	struct unwind *u = unwind_new(UNWIND_DWARF);
	size_t i, n;
	pid_t child;

	outer(96);
	for (i = 0; i < 20; i++) {
		child = fork_idle();
		for (n = 0; n < 20; n++)
			unwind_child(u, child);
		end_child(child);
		unwind_child(u, child);
	}
	assert_in_range(open_programs(), 1, 5);
	unwind_free(u);
}

/* A child that becomes another program once something is written to @*go. The pipe @*gone then ends. */
static pid_t fork_other(int *go, int *gone)
{
	int in[2], out[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(in[0], &c, 1) == 1)
			execlp("sleep", "sleep", "3600", NULL);
		_exit(1);
	}
	close(in[0]);
	close(out[1]);
	*go = in[1];
	*gone = out[0];
	return pid;
}

/* The same process has other code at these addresses: none. */
TEST(test_execve)
{
	const struct wait_frame *frame[UNWIND_FRAMES];
	struct unwind *u = unwind_new(UNWIND_DWARF);
	int go, gone;
	pid_t child = fork_other(&go, &gone);
	bool whole;
	char c;

	outer(96);
	unwind_child(u, child);
	assert_int_equal(write(go, "x", 1), 1);
	assert_int_equal(read(gone, &c, 1), 0);
	assert_int_equal(unwind_copy(u, &copy, frame, &whole), 0);
	assert_int_equal(open_programs(), 0);
	end_child(child);
	unwind_free(u);
	close(go);
	close(gone);
}

static unsigned int map_reads;

int __real_dwfl_linux_proc_report(Dwfl *dwfl, pid_t pid);
int __wrap_dwfl_linux_proc_report(Dwfl *dwfl, pid_t pid);

int __wrap_dwfl_linux_proc_report(Dwfl *dwfl, pid_t pid)
{
	map_reads++;
	return __real_dwfl_linux_proc_report(dwfl, pid);
}

/* Makes @pc the caller of inner(). */
static void replace_caller(uint64_t pc)
{
	uint64_t word;
	size_t i;

	for (i = 0; i + sizeof(word) <= copy.length; i += sizeof(word)) {
		memcpy(&word, copy.data + i, sizeof(word));
		if ((word & 0xffffffffffff) - (uintptr_t)outer >= 64)
			continue;
		memcpy(copy.data + i, &pc, sizeof(pc));
		return;
	}
	fail_msg("outer() is not on the stack");
}

/* Far from files: libdwfl takes memory behind one for its data. */
static void *map_page(void)
{
	void *page = mmap((void *)0x500000000000, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	return page;
}

/* A JIT compiler's code is in no file: its maps are not read for each stack, as they change or not. */
TEST(test_jit)
{
	const struct wait_frame *frame[UNWIND_FRAMES];
	struct unwind *u = unwind_new(UNWIND_DWARF);
	uintptr_t code = (uintptr_t)map_page();
	bool whole;
	size_t i;

	outer(96);
	map_reads = 0;
	for (i = 0; i < 40; i++) {
		replace_caller(code + 64 * i + 16);
		map_page();
		assert_true(unwind_copy(u, &copy, frame, &whole) > 1);
		assert_string_equal(frame[0]->name, "inner");
		assert_int_equal(strtoull(frame[1]->name, NULL, 16), code + 64 * i + 15);
		outer(96);
	}
	assert_in_range(map_reads, 2, 7);
	unwind_free(u);
}

/* No tail call: test_callers looks for this frame. */
int main(void)
{
	return unit_run(NULL, NULL) ? 1 : 0;
}
