// SPDX-License-Identifier: GPL-2.0
/*
 * The unwinder of the wait profiler, on copies of this program's own stack: with the registers of
 * the machine that it runs on, and with return addresses that arm64 signs.
 */
#include "unit.h"

#include <unistd.h>

#include "waits/unwind.h"

#ifdef __aarch64__
#define SIGNED __attribute__((target("branch-protection=pac-ret")))
#else
#define SIGNED
#endif

static struct tlob_wait_copy copy;

/* Reads beyond what it may, as the kernel does when it copies a stack. */
static __attribute__((noinline, no_sanitize("address"))) void take(uint64_t sp, size_t length)
{
	const unsigned char *from = (const unsigned char *)sp;
	size_t i;

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
	struct unwind *u = unwind_new();
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

static void test_callers(void **state)
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
static void test_signed(void **state)
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
static void test_cut(void **state)
{
	const char *path;
	bool whole;

	outer(96);
	path = unwound(&whole);
	if (strncmp(path, "inner < ", 8) || strstr(path, " < main"))
		fail_msg("%s", path);
	assert_false(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callers),
#ifdef __aarch64__
		cmocka_unit_test(test_signed),
#endif
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
