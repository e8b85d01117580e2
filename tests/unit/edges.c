// SPDX-License-Identifier: GPL-2.0
/* The tool's objects call it at each edge of their code, for tests/fuzz; a unit test does not ask. */
void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
}
