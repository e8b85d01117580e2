// SPDX-License-Identifier: GPL-2.0
/* `work`, parsed by the header that the kernel compiles. */
#include <inttypes.h>

#include "fuzz.h"
#include "workspec.h"

static bool same(const struct tlob_work *a, const struct tlob_work *b)
{
	return a->type == b->type && a->node == b->node &&
	       a->amount == b->amount && a->ws == b->ws;
}

static void format(char *buf, size_t size, const struct tlob_work *w)
{
	int n = 0;

	switch (w->type) {
	case TLOB_KIND_NONE:
		n = snprintf(buf, size, "none");
		break;
	case TLOB_KIND_SPIN:
	case TLOB_KIND_ELAPSED:
		n = snprintf(buf, size, "%s:%lluns",
			     w->type == TLOB_KIND_SPIN ? "spin" : "elapsed",
			     w->amount);
		break;
	case TLOB_KIND_LOOPS:
		n = snprintf(buf, size, "loops:%llu", w->amount);
		break;
	case TLOB_KIND_CHASE:
	case TLOB_KIND_STREAM:
		n = snprintf(buf, size, "mem:%s,n=%llu,ws=%llu",
			     w->type == TLOB_KIND_CHASE ? "chase" : "stream",
			     w->amount, w->ws);
		if (w->node != TLOB_WORK_NO_NODE)
			n += snprintf(buf + n, size - (size_t)n, ",node=%d",
				      w->node);
		break;
	case TLOB_KIND_FPU:
	case TLOB_KIND_SYSCALL:
		n = snprintf(buf, size, "%s:%llu",
			     w->type == TLOB_KIND_FPU ? "fpu" : "syscall",
			     w->amount);
		break;
	case TLOB_KIND_SLEEP:
		n = snprintf(buf, size, "sleep:%lluns", w->amount);
		break;
	case TLOB_KIND_PHASES:
		/* the name of the file is not in it */
		n = snprintf(buf, size, "@file");
		break;
	}
	CHECK(n > 0 && (size_t)n < size);
}

static void check_ranges(const struct tlob_work *w)
{
	CHECK(w->type < TLOB_NR_WORK);
	CHECK(w->node >= TLOB_WORK_NO_NODE && w->node <= 1023);
	CHECK(w->type == TLOB_KIND_NONE ? !w->amount : w->amount);
	if (w->type == TLOB_KIND_SPIN || w->type == TLOB_KIND_ELAPSED || w->type == TLOB_KIND_SLEEP)
		CHECK(w->amount <= 3600000000000ULL);
	else
		CHECK(w->amount <= 1000000000000ULL);
	if (tlob_work_needs_memory(w)) {
		CHECK(w->ws >= 4096 && w->ws <= 1ULL << 30);
		CHECK(!(w->ws % TLOB_WORK_LINE));
	} else {
		CHECK(!w->ws && w->node == TLOB_WORK_NO_NODE);
	}
}

/* Compares with 128 bits, which hold a number of so many digits. */
static void check_number(const char *text)
{
	const char *s = text;
	size_t digits = strspn(text, "0123456789"), i;
	unsigned __int128 is = 0;
	__u64 v = 42;
	int err = tlob_parse_u64(&s, &v);

	for (i = 0; i < digits && is <= UINT64_MAX; i++)
		is = is * 10 + (unsigned int)(text[i] - '0');
	if (!digits)
		CHECK(err == -EINVAL && v == 42 && s == text);
	else if (is > UINT64_MAX)
		CHECK(err == -ERANGE && v == 42 && s == text);
	else
		CHECK(!err && v == is && s == text + digits);
}

static void check_duration(const char *text)
{
	const char *s = text;
	char again[32];
	__u64 ns = 42, ns2;
	int err = tlob_parse_duration(&s, &ns);

	CHECK(!err || err == -EINVAL || err == -ERANGE);
	if (err) {
		CHECK(s == text);
		return;
	}
	CHECK(s > text && s <= text + strlen(text));
	snprintf(again, sizeof(again), "%lluns", ns);
	s = again;
	CHECK(!tlob_parse_duration(&s, &ns2) && !*s && ns2 == ns);
}

static void check_tail(const char *text, const char *tail)
{
	char *longer = fuzz_append(text, tail);
	struct tlob_work w;

	CHECK(tlob_parse_work(longer, &w) == -EINVAL);
	free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct tlob_work w, before, again;
	char buf[96];
	int err;

	memset(&before, 0x5a, sizeof(before));
	w = before;
	err = tlob_parse_work(text, &w);
	CHECK(!err || err == -EINVAL || err == -ERANGE);
	if (err) {
		CHECK(!memcmp(&w, &before, sizeof(w)));
	} else {
		check_ranges(&w);
		format(buf, sizeof(buf), &w);
		CHECK(!tlob_parse_work(buf, &again) && same(&w, &again));
		/* the name of a file may have any tail */
		if (w.type == TLOB_KIND_PHASES)
			goto numbers;
		check_tail(text, " ");
		check_tail(text, "\n");
		check_tail(text, "x");
		check_tail(text, ",");
	}
numbers:
	check_duration(text);
	check_number(text);
	check_number(text + strcspn(text, "0123456789"));
	free(text);
	return 0;
}
