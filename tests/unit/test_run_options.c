// SPDX-License-Identifier: GPL-2.0
/* The command line of `tlob-load run`: what it accepts, what it refuses, and its defaults. */
#include "hist.h"
#include "option_line.h"
#include "options/run_config.h"

static int parse(struct run_config *o, const char *line)
{
	return parse_line(&manual_run, o, line);
}

static struct run_config accepted(const char *line)
{
	struct run_config o;

	accept_line(&manual_run, &o, line);
	return o;
}

TEST(test_defaults)
{
	struct run_config o = accepted("");

	assert_null(o.cpus);
	assert_null(o.housekeeping);
	assert_null(o.cgroup);
	assert_int_equal(o.period_ns, 1000000);
	assert_int_equal(o.budget_ns, 1000000);
	assert_string_equal(o.work_text, "spin:100us");
	assert_int_equal(o.work.type, TLOB_KIND_SPIN);
	assert_int_equal(o.work.amount, 100000);
	assert_int_equal(o.work.node, TLOB_WORK_NO_NODE);
	assert_int_equal(o.workload, WORKLOAD_USER);
	assert_string_equal(o.policy, "fifo:95");
	assert_int_equal(o.sched.policy, SCHED_FIFO);
	assert_int_equal(o.sched.priority, 95);
	assert_int_equal(o.duration_ns, 0);
	assert_int_equal(o.windows, 0);
	assert_int_equal(o.warm_up, 0);
	assert_string_equal(o.noise_source, "auto");
	assert_int_equal(o.align_ns, 0);
	assert_int_equal(o.hw_threshold_ns, 5000);
	assert_false(o.idle_state_set);
	assert_int_equal(o.dma_latency_us, 0);
	assert_int_equal(o.nstop_on + o.nassertion + o.nevents, 0);
	assert_null(o.trace);
	assert_null(o.hist);
	assert_null(o.json);
	assert_false(o.quiet);
}

TEST(test_long_options)
{
	struct run_config o = accepted("--cpus 1-3 --housekeeping 0 --cgroup /rt "
		"--period 2ms --budget 500us --work loops:7 --workload kthread "
		"--policy deadline:1ms/2ms/2ms --duration 30s --windows 9 "
		"--warm-up 3 --noise-source both --align 10us "
		"--hw-threshold 1us --idle-state 0 --dma-latency 20us "
		"--stop-on wake>50us --stop-on violations>0 --trace t.dat "
		"--event sched --event irq:irq_handler_entry "
		"--hist h --json - --quiet --assert missed==0 "
		"--assert p99(wake)<1ms --load @cpu --load @net --load-cpus 0,2");

	assert_string_equal(o.cpus, "1-3");
	assert_string_equal(o.housekeeping, "0");
	assert_string_equal(o.cgroup, "/rt");
	assert_int_equal(o.period_ns, 2000000);
	assert_int_equal(o.budget_ns, 500000);
	assert_string_equal(o.work_text, "loops:7");
	assert_int_equal(o.work.type, TLOB_KIND_LOOPS);
	assert_int_equal(o.workload, WORKLOAD_KTHREAD);
	assert_string_equal(o.policy, "deadline:1ms/2ms/2ms");
	assert_int_equal(o.sched.policy, SCHED_DEADLINE);
	assert_int_equal(o.sched.deadline, 2000000);
	assert_int_equal(o.duration_ns, 30000000000ULL);
	assert_int_equal(o.windows, 9);
	assert_int_equal(o.warm_up, 3);
	assert_string_equal(o.noise_source, "both");
	assert_int_equal(o.align_ns, 10000);
	assert_int_equal(o.hw_threshold_ns, 1000);
	assert_true(o.idle_state_set);
	assert_int_equal(o.idle_state, 0);
	assert_int_equal(o.dma_latency_us, 20);
	assert_int_equal(o.nstop_on, 2);
	assert_int_equal(o.stop_on[0].metric, TLOB_METRIC_WAKE);
	assert_string_equal(o.stop_on[1].text, "violations>0");
	assert_string_equal(o.trace, "t.dat");
	assert_int_equal(o.nevents, 2);
	assert_string_equal(o.events[0], "sched");
	assert_string_equal(o.events[1], "irq:irq_handler_entry");
	assert_string_equal(o.hist, "h");
	assert_string_equal(o.json, "-");
	assert_true(o.quiet);
	assert_int_equal(o.nassertion, 2);
	assert_int_equal(o.nload, 2);
	assert_string_equal(o.load[1], "@net");
	assert_string_equal(o.load_cpus, "0,2");
	assert_string_equal(o.assertion[1].text, "p99(wake)<1ms");
}

TEST(test_short_options)
{
	struct run_config o = accepted("-c 2 -p 100us -b 50us -w none -d 1s -n 5 "
				    "-e sched --trace=t -q");

	assert_string_equal(o.cpus, "2");
	assert_int_equal(o.period_ns, 100000);
	assert_int_equal(o.budget_ns, 50000);
	assert_int_equal(o.work.type, TLOB_KIND_NONE);
	assert_int_equal(o.duration_ns, 1000000000);
	assert_int_equal(o.windows, 5);
	assert_string_equal(o.events[0], "sched");
	assert_string_equal(o.trace, "t");
	assert_true(o.quiet);
	assert_int_equal(parse(&o, "-h"), HELP_SHORT);
	assert_int_equal(parse(&o, "--help --bogus"), HELP_SHORT);
	assert_int_equal(parse(&o, "--help=all --bogus"), HELP_ALL);
	assert_int_equal(parse(&o, "--version"), HELP_VERSION);
}

TEST(test_choices)
{
	static const char * const sources[] = { "auto", "osnoise", "hooks", "both" };
	char line[80];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		snprintf(line, sizeof(line), "--noise-source %s", sources[i]);
		assert_string_equal(accepted(line).noise_source, sources[i]);
	}
	assert_int_equal(accepted("--workload user").workload, WORKLOAD_USER);
	assert_int_equal(accepted("--policy rr:7").sched.policy, SCHED_RR);
	assert_int_equal(accepted("--policy other").sched.policy, SCHED_NORMAL);
	assert_int_equal(accepted("--dma-latency off").dma_latency_us, -1);
	assert_false(accepted("--json a").has_checkpoint);
	assert_true(accepted("--checkpoint off").has_checkpoint);
	assert_false(accepted("").timeline);
	assert_true(accepted("--timeline --noise-source hooks").timeline);
	assert_true(accepted("--timeline-json a").timeline);
	assert_string_equal(accepted("--timeline-json a").timeline_json, "a");
	assert_int_equal(accepted("--checkpoint off").checkpoint_ns, 0);
	assert_int_equal(accepted("--checkpoint 1m --json a").checkpoint_ns, 60000000000);
	assert_int_equal(accepted("--dma-latency 0").dma_latency_us, 0);
	assert_int_equal(accepted("--align 0").align_ns, 0);
	assert_true(accepted("--phase 0").has_phase);
	assert_int_equal(accepted("--phase 7us --seed 1").phase_ns, 7000);
	assert_int_equal(accepted("--period 2ms").budget_ns, 2000000);
	assert_int_equal(accepted("--budget 2ms --period 3ms").budget_ns, 2000000);
}

/* The same seed gives the same phase, anywhere in the longest tick. */
TEST(test_phase_of_seed)
{
	uint64_t least = UINT64_MAX, most = 0;
	char line[32];
	unsigned int i;

	assert_false(accepted("").has_phase);
	for (i = 0; i < 100; i++) {
		struct run_config o;

		snprintf(line, sizeof(line), "--seed %u", i);
		o = accepted(line);
		assert_true(o.has_phase);
		assert_int_equal(o.phase_ns, accepted(line).phase_ns);
		least = o.phase_ns < least ? o.phase_ns : least;
		most = o.phase_ns > most ? o.phase_ns : most;
	}
	assert_in_range(least, 0, 1000000);
	assert_in_range(most, 9000000, 9999999);
}

/* Both ends of every range are accepted. */
TEST(test_ranges)
{
	static const char * const lines[] = {
		"--period 50us", "--period 1s", "--period 1000ms",
		"--budget 1us", "--budget 3600s", "--align 1s",
		"--hw-threshold 100ns", "--hw-threshold 1s",
		"--warm-up 0", "--warm-up 1000000", "--idle-state 9",
		"--windows 1", "--windows 9223372036854775807",
		"--dma-latency 2147483647us", "--duration 1ms",
		"--duration 18446744073s", "--policy fifo:99",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		accepted(lines[i]);
}

TEST(test_refused)
{
	static const struct refused_line t[] = {
		{ "--period 1000", { "--period", "1000us" } },
		{ "--period 49999ns", { "--period", "50us", "1s" } },
		{ "-p 1001ms", { "--period", "50us", "1s" } },
		{ "--period 0", { "--period", "50us" } },
		{ "--period 1xs", { "--period", "'1xs'" } },
		{ "--period=", { "--period", "''" } },
		{ "--budget 999ns", { "--budget", "1us", "3600s" } },
		{ "--budget 3601s", { "--budget", "3600s" } },
		{ "--budget 0", { "--budget", "1us" } },
		{ "--budget 5", { "--budget", "5us" } },
		{ "--work spin", { "--work", "'spin'", "spin:100us" } },
		{ "--work spin:100", { "--work spin:100", "give a unit, as in spin:100us" } },
		{ "--work elapsed:15", { "give a unit" } },
		{ "--workload kthread --work fpu:10", { "--work fpu:10", "kernel threads", "--workload user" } },
		{ "--workload kthread --work @x.json", { "--work @x.json", "kernel threads" } },
		{ "--work spin:0", { "--work", "out of range", "1ns to 1h" } },
		{ "--workload rt", { "--workload", "'rt'", "kthread" } },
		{ "--policy fifo:0", { "--policy", "1 to 99" } },
		{ "--policy fast", { "--policy", "'fast'", "rr:P" } },
		{ "--policy deadline:1ms/2ms/2ms", { "--policy deadline", "EPERM", "--workload kthread" } },
		{ "--duration 10", { "--duration", "10s or 10m" } },
		{ "--duration 0", { "--duration", "50us" } },
		{ "--duration 1us", { "--duration", "50us" } },
		{ "--duration 60us", { "--duration 60us", "--period 1ms" } },
		{ "--windows 0", { "--windows", "1 to" } },
		{ "--windows 5k", { "--windows", "'5k'", "1 to" } },
		{ "--windows 9223372036854775808", { "--windows", "range" } },
		{ "--warm-up 1000001", { "--warm-up", "0 to 1000000" } },
		{ "--warm-up -1", { "--warm-up", "'-1'" } },
		{ "--noise-source none", { "--noise-source", "'none'", "osnoise" } },
		{ "--align 1001ms", { "--align", "0ns to 1s" } },
		{ "--phase 1001ms", { "--phase", "0ns to 1s" } },
		{ "--hw-threshold 99ns", { "--hw-threshold", "100ns to 1s" } },
		{ "--hw-threshold 2s", { "--hw-threshold", "100ns to 1s" } },
		{ "--idle-state 10", { "--idle-state", "0 to 9" } },
		{ "--idle-state C1", { "--idle-state", "'C1'" } },
		{ "--timeline --noise-source osnoise", { "--timeline", "--noise-source hooks" } },
		{ "--timeline-json a --noise-source both", { "--timeline", "--noise-source hooks" } },
		{ "--load @nothing", { "--load", "@nothing", "@cpu, @cache" } },
		{ "--tune=on", { "--tune=on", "--tune=list" } },
		{ "--load-cpus 0", { "--load-cpus", "--load" } },
		{ "--checkpoint 1m", { "--checkpoint", "--json FILE" } },
		{ "--checkpoint 1m --json -", { "--checkpoint", "--json FILE" } },
		{ "--checkpoint 999ms --json a", { "--checkpoint", "1s to 86400s" } },
		{ "--checkpoint 25h --json a", { "--checkpoint", "1s to 86400s" } },
		{ "--checkpoint never --json a", { "--checkpoint", "'never'" } },
		{ "--dma-latency 10", { "--dma-latency", "10us or 10ms" } },
		{ "--dma-latency 1500ns", { "--dma-latency", "1500ns", "off" } },
		{ "--dma-latency 1.5us", { "--dma-latency", "whole", "off" } },
		{ "--dma-latency 2147483648us", { "--dma-latency", "2147483647us" } },
		{ "--stop-on wake>50", { "--stop-on", "wake>50", "50us" } },
		{ "--stop-on foo>50us", { "--stop-on", "'foo'", "response" } },
		{ "--assert wake<50us", { "--assert", "max(wake)" } },
		{ "--event a:b:c --trace t", { "--event", "'a:b:c'", "SYSTEM" } },
		{ "--event : --trace t", { "--event", "':'" } },
		{ "--event sched: --trace t", { "--event", "'sched:'" } },
		{ "--event ../x --trace t", { "--event", "'../x'" } },
		{ "--event .. --trace t", { "--event", "'..'" } },
		{ "--event sched:.. --trace t", { "--event", "'sched:..'" } },
		{ "--event sched:. --trace t", { "--event", "'sched:.'" } },
		{ "--event sched", { "--event", "--trace FILE" } },
		{ "--workload kthread --policy deadline:1s/1s/18446744073s", { "--policy", "PERIOD < 2^63ns" } },
		{ "--trace=", { "--trace", "empty" } },
		{ "--hist=", { "--hist", "empty" } },
		{ "--json=", { "--json", "empty" } },
		{ "--cpus=", { "--cpus", "empty", "0,2-5" } },
		{ "--housekeeping=", { "--housekeeping", "empty" } },
		{ "--cgroup=", { "--cgroup", "empty" } },
		{ "--json", { "--json", "needs a value" } },
		{ "-p", { "--period", "needs a value" } },
		{ "--quiet=yes", { "--quiet", "no value" } },
		{ "--bogus", { "--bogus", "unknown" } },
		{ "--bogus=5", { "--bogus=5", "unknown" } },
		{ "--h", { "ambiguous", "--housekeeping or --hw-threshold or --html" } },
		{ "--perid 5ms", { "--perid", "did you mean --period?" } },
		{ "--asert=a", { "--asert=a", "did you mean --assert?" } },
		{ "-i 1000", { "-i", "--period T", "--stop-on 'irq>T'" } },
		{ "--loops=5", { "--loops=5", "--windows N" } },
		{ "-D 10", { "-D", "--duration T" } },
		{ "-u", { "-u", "--workload user" } },
		{ "-x", { "-x", "unknown" } },
		{ "-qx", { "-x", "unknown" } },
		{ "-", { "'-'", "extra argument" } },
		{ "-q surplus", { "'surplus'", "extra argument" } },
		{ "-- surplus", { "'surplus'", "extra argument" } },
		{ "surplus --period 2ms", { "'surplus'" } },
		{ "a\nb", { "'a?b'" } },
	};
	struct run_config o;

	refuse_lines(&manual_run, &o, t, ARRAY_SIZE(t));
}

/* One more than the lists hold is refused, not written past their end. */
TEST(test_list_limits)
{
	static const struct {
		const char *before, *word;
		int most;
		const char *said;
	} t[] = {
		{ "", "--assert missed==0", CONDITIONS_MAX, "32 times" },
		{ "", "--stop-on wake>1us", CONDITIONS_MAX, "32 times" },
		{ "--trace t", "-e sched", CONDITIONS_MAX, "32 times" },
		{ "", "--load @cpu", RUN_MAX_LOADS, "16 times" },
	};
	struct run_config o;
	char line[2000];
	size_t i;
	int n;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		snprintf(line, sizeof(line), "%s", t[i].before);
		for (n = 0; n < t[i].most; n++) {
			if (*line)
				strcat(line, " ");
			strcat(line, t[i].word);
		}
		accepted(line);
		strcat(line, " ");
		strcat(line, t[i].word);
		assert_int_equal(parse(&o, line), -EINVAL);
		assert_contains(message, t[i].said);
	}
}

/* The parser is used again after an error in the middle of a cluster. */
TEST(test_reentrant)
{
	struct run_config o;

	assert_int_equal(parse(&o, "-qxq"), -EINVAL);
	assert_true(accepted("-q").quiet);
	assert_false(accepted("").quiet);
}

UNIT_MAIN(NULL, NULL)
