// SPDX-License-Identifier: GPL-2.0
/* Rows of --samples: what is read comes from a row that could be written. */
#include <inttypes.h>

#include "fuzz.h"
#include "read/samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const verdicts[] = { "ok", "violation", "missed" };
	char *text = fuzz_text(data, size), row[200];
	struct sample s, again;
	int n;

	if (sample_parse(text, &s)) {
		CHECK(s.verdict <= SAMPLE_MISSED && s.wake_ns <= s.response_ns);
		n = snprintf(row, sizeof(row), "%" PRIu32 ",%" PRIu64 ",", s.cpu, s.t0_ns);
		if (!s.no_irq)
			n += snprintf(row + n, sizeof(row) - (size_t)n, "%" PRIu64, s.irq_ns);
		if (s.verdict == SAMPLE_MISSED)
			snprintf(row + n, sizeof(row) - (size_t)n, ",,,missed");
		else
			snprintf(row + n, sizeof(row) - (size_t)n, ",%" PRIu64 ",%" PRIu64 ",%s", s.wake_ns,
				 s.response_ns, verdicts[s.verdict]);
		CHECK(sample_parse(row, &again) && !memcmp(&s, &again, sizeof(s)));
	}
	free(text);
	return 0;
}
