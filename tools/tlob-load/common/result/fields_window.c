// SPDX-License-Identifier: GPL-2.0
/* A window that is kept whole. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "result/parts.h"
#include "result/tables.h"
#include "result/timeline.h"
#include "result/wait_names.h"

const struct words part_words = { .n = TLOB_NR_PARTS, .find = part_name };

static const struct words window_flags = { .n = NR_WINDOW_FLAGS, .find = window_flag_name };

/* Only parts that are noise have the name of a task. */
static enum presence span_noise(const void *data)
{
	const struct tlob_span *s = data;

	return part_noise(s->part) == TLOB_NR_NOISE ? NO_KEY : PRESENT;
}

static const struct field span_noise_fields[] = {
	ROW(tlob_span, id, NUMBER, .min = INT_MIN, .max = INT_MAX),
	ROW(tlob_span, name, CHARS, .flags = FIELD_PRIVATE),
};

const struct fields span_noise_record = RECORD(tlob_span, NULL, span_noise_fields);

static const struct field span_fields[] = {
	ROW(tlob_span, part, WORD, .words = &part_words),
	ROW(tlob_span, end_ns, COUNT),
	ROW_WITHOUT(NULL, SAME, .of = &span_noise_record, .flags = FIELD_LEFT_OUT,
		    .presence = span_noise),
};

static const struct fields span_record = RECORD(tlob_span, "span", span_fields);

static const struct field timeline_fields[] = {
	ROW(tlob_timeline, start_ns, COUNT),
	ROW(tlob_timeline, not_kept, COUNT,
	    .text = "where the first span begins, and how many were before it"),
	ROW_AS("spans", tlob_timeline, span, LIST, FIELD_N(tlob_timeline, spans),
	       .of = &span_record, .max = TLOB_TIMELINE_SPANS,
	       .text = "list: `part`, and `end_ns`, where the next one begins; for noise also `id` "
	       "and `name`"),
};

const struct fields timeline_record = RECORD(tlob_timeline, "timeline", timeline_fields);

static enum presence timeline_presence(const void *data)
{
	const struct kept *kept = data;

	return !kept->timeline ? NO_KEY : timeline_is_lost(kept->timeline) ? NO_VALUE : PRESENT;
}

static const struct words wakers = { .n = TLOB_WAKER_NMI + 1, .list = waker_kinds };

static enum presence waker_named(const void *data)
{
	const struct tlob_wait_waker *w = data;

	return w->kind == TLOB_WAKER_TASK && w->tid ? PRESENT : NO_KEY;
}

static const struct field waker_name_fields[] = {
	ROW_AS("name", tlob_wait_waker, comm, CHARS, .flags = FIELD_PRIVATE | FIELD_TASK),
	ROW(tlob_wait_waker, tid, COUNT),
	ROW_AS("pid", tlob_wait_waker, tgid, COUNT),
};

static const struct fields waker_name_record = RECORD(tlob_wait_waker, NULL, waker_name_fields);

static const struct field waker_fields[] = {
	ROW(tlob_wait_waker, kind, WORD, .words = &wakers),
	ROW_WITHOUT(NULL, SAME, .of = &waker_name_record, .flags = FIELD_LEFT_OUT,
		    .presence = waker_named),
};

static const struct fields waker_record = RECORD(tlob_wait_waker, "waker", waker_fields);

static enum presence holder_presence(const void *data)
{
	const struct kept *kept = data;

	return kept->holder.kind ? PRESENT : NO_KEY;
}

static const struct field frame_fields[] = {
	ROW(attach_frame, name, TEXT, .flags = FIELD_PRIVATE),
	ROW(attach_frame, kernel, BOOL),
};

const struct fields frame_record = RECORD(attach_frame, "frame", frame_fields);

static const struct words segment_kinds = { .n = SEGMENT_KINDS, .list = chain_kinds };
static const struct words segment_ends = { .n = CHAIN_ENDS, .list = chain_ends };

static const struct field chain_other_fields[] = {
	ROW(chain_other, kind, WORD, .words = &noise_kinds),
	ROW(chain_other, id, NUMBER, .min = INT_MIN, .max = INT_MAX),
	ROW(chain_other, name, CHARS, .flags = FIELD_PRIVATE),
	ROW(chain_other, policy, CHARS, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC),
};

const struct fields chain_other_record = RECORD(chain_other, "chain_other", chain_other_fields);

static enum presence segment_named(const void *data)
{
	const struct chain_segment *s = data;

	return s->tid ? PRESENT : NO_KEY;
}

static enum presence segment_end(const void *data)
{
	const struct chain_segment *s = data;

	return s->kind == SEGMENT_SLEEP ? PRESENT : NO_KEY;
}

static enum presence segment_other(const void *data)
{
	const struct chain_segment *s = data;

	return *s->other.name ? PRESENT : NO_KEY;
}

static const struct field segment_task_fields[] = {
	ROW_AS("name", chain_segment, comm, CHARS, .flags = FIELD_PRIVATE | FIELD_TASK),
	ROW(chain_segment, tid, COUNT),
	ROW(chain_segment, policy, CHARS, .flags = FIELD_LEFT_OUT | FIELD_PUBLIC),
};

static const struct fields segment_task_record = RECORD(chain_segment, NULL, segment_task_fields);

static const struct field segment_fields[] = {
	ROW(chain_segment, kind, WORD, .words = &segment_kinds),
	ROW(chain_segment, ns, COUNT),
	ROW_WITHOUT(NULL, SAME, .of = &segment_task_record, .flags = FIELD_LEFT_OUT,
		    .presence = segment_named),
	ROW_AS("until", chain_segment, by, WORD, .words = &segment_ends, .flags = FIELD_LEFT_OUT,
	       .presence = segment_end),
	ROW(chain_segment, blocked, BOOL, .flags = FIELD_LEFT_OUT),
	ROW(chain_segment, other, RECORD, .of = &chain_other_record, .flags = FIELD_LEFT_OUT,
	    .presence = segment_other),
};

const struct fields segment_record = RECORD(chain_segment, "segment", segment_fields);

static const struct field wait_fields[] = {
	ROW(attach_wait, ns, COUNT),
	ROW_AS("woken_by", attach_wait, waker, RECORD, .of = &waker_record),
	ROW_AS("frames", attach_wait, frame, NEW_LIST, FIELD_N(attach_wait, nframe),
	       .of = &frame_record, .max = ATTACH_WAIT_FRAMES),
	ROW_AS("chain", attach_wait, chain, NEW_LIST, FIELD_N(attach_wait, nchain), .of = &segment_record,
	       .max = CHAIN_SEGMENTS, .flags = FIELD_LEFT_OUT),
};

static const struct field chain_wait_fields[] = {
	ROW(attach_wait, ns, COUNT),
	ROW(attach_wait, chain, NEW_LIST, FIELD_N(attach_wait, nchain), .of = &segment_record, .max = CHAIN_SEGMENTS),
};

const struct fields chain_wait_record = RECORD(attach_wait, "chain_wait", chain_wait_fields);

static const struct field critical_fields[] = {
	ROW_AS("name", critical_path, comm, CHARS, .flags = FIELD_PRIVATE | FIELD_TASK),
	ROW(critical_path, pid, COUNT),
	ROW(critical_path, ns, COUNT),
	ROW(critical_path, lost, COUNT),
	ROW_AS("rows", critical_path, row, NEW_LIST, FIELD_N(critical_path, nrow), .of = &segment_record, .max = 1000000),
};

const struct fields critical_record = RECORD(critical_path, "critical", critical_fields);

const struct fields wait_record = RECORD(attach_wait, "wait", wait_fields);

static enum presence wait_presence(const void *data)
{
	const struct kept *kept = data;

	return kept->wait.ns ? PRESENT : kept->waits ? NO_VALUE : NO_KEY;
}

static enum presence task_presence(const void *data)
{
	const struct kept_window *k = data;

	return k->kept.task.tid ? PRESENT : NO_KEY;
}

static const struct field task_fields[] = {
	ROW_AS("name", kept_window, kept.task.comm, CHARS, .flags = FIELD_PRIVATE | FIELD_TASK),
	ROW_AS("tid", kept_window, kept.task.tid, COUNT),
	ROW_AS("pid", kept_window, kept.task.tgid, COUNT),
	ROW_AS("switches", kept_window, kept.task.switches, COUNT),
	ROW_AS("begun_by", kept_window, kept.task.begun_by, COUNT, .flags = FIELD_LEFT_OUT),
	ROW_AS("elsewhere_ns", kept_window, kept.task.elsewhere_ns, COUNT, .flags = FIELD_LEFT_OUT),
};

const struct fields window_task_record = RECORD(kept_window, NULL, task_fields);

static enum presence irq_presence(const void *data)
{
	const struct kept_window *k = data;

	return irq_is_available(k->w.unavailable) && !k->kept.task.tid ? PRESENT : NO_VALUE;
}

static enum presence wake_presence(const void *data)
{
	return task_presence(data) == PRESENT ? NO_VALUE : PRESENT;
}

static enum presence delay_presence(const void *data)
{
	const struct kept_window *k = data;

	return k->w.delayed_by_pid < 0 ? NO_VALUE : PRESENT;
}

static enum presence idle_presence(const void *data)
{
	const struct tlob_window *w = data;

	return w->delayed_by_idle_state < 0 ? NO_VALUE : PRESENT;
}

static const struct field delayed_by_fields[] = {
	ROW_AS("pid", tlob_window, delayed_by_pid, NUMBER, .max = INT_MAX),
	ROW_AS("name", tlob_window, delayed_by, CHARS, .flags = FIELD_PRIVATE | FIELD_TASK),
	ROW_AS("idle_state", tlob_window, delayed_by_idle_state, NUMBER, .max = INT_MAX,
	       .flags = FIELD_NULL, .presence = idle_presence),
};

static const struct fields delayed_by_record = RECORD(tlob_window, "delayed_by", delayed_by_fields);

static enum presence place_presence(const void *data)
{
	const struct kept *kept = data;

	return place_is_known(&kept->place) ? PRESENT : NO_KEY;
}

static const struct field window_fields[] = {
	ROW_WITHOUT(NULL, SAME, .of = &window_task_record, .flags = FIELD_LEFT_OUT | FIELD_FIRST,
		    .presence = task_presence,
		    .text = "of attach only: the thread that ended the window, its process, and how often it left its CPU. "
		    "With `--key` also: `begun_by` is the tid of the thread that began the window; "
		    "`elsewhere_ns` is the time between the two threads, a part of `work.sleep`"),
	ROW_AS("cpu", kept_window, w.cpu, NUMBER, .max = INT_MAX),
	ROW_AS("activation", kept_window, w.activation, COUNT),
	ROW_AS("t0_ns", kept_window, w.t0_ns, COUNT,
	       .text = "t0 = start + activation · period, CLOCK_MONOTONIC. Of attach: the CPU where "
	       "it ended, 0, its start"),
	ROW_AS("irq_latency_ns", kept_window, w.irq_latency_ns, COUNT, .flags = FIELD_NULL | FIELD_OFF_PAGE,
	       .presence = irq_presence),
	ROW_AS("wake_ns", kept_window, w.wake_ns, COUNT, .flags = FIELD_NULL,
	       .presence = wake_presence),
	ROW_AS("response_ns", kept_window, w.response_ns, COUNT),
	ROW_AS("budget_ns", kept_window, w.budget_ns, COUNT,
	       .text = "t1 − t0, t2 − t0, t3 − t0, and the budget; `irq_latency_ns` is null with posix, "
	       "both before t3 are with attach. `response_ns` of an open window ends when the budget "
	       "was over"),
	ROW_AS("missed", kept_window, w.missed, COUNT, .flags = FIELD_OFF_PAGE,
	       .text = "expiries between this window and the one before"),
	ROW_AS("parts", kept_window, w.part_ns, ARRAY, FIELD_WITHOUT(kept_window, w.unavailable),
	       .words = &part_words),
	ROW_AS("wake_count", kept_window, w.wake_count, ARRAY, .words = &noise_kinds, .flags = FIELD_OFF_PAGE),
	ROW_AS("work_count", kept_window, w.work_count, ARRAY, .words = &noise_kinds, .flags = FIELD_OFF_PAGE,
	       .text = "ns by part, and interruptions in each phase by kind"),
	ROW_AS("flags", kept_window, w.flags, MASK, .words = &window_flags, .flags = FIELD_OFF_PAGE),
	ROW_AS("unavailable", kept_window, w.unavailable, MASK, .words = &part_words,
	       .flags = FIELD_FIRST | FIELD_OFF_PAGE,
	       .text = "any of `violation`, `stopped`, `last`, `inexact`, `kthread`, `throttled`, `user`: "
	       "the timer's interrupt was late and met user code, `continued`: SIGCONT came after a "
	       "stop of the tool; of attach `cut`, `open`, `unclear`, as the [counters](#a-cpu), "
	       "`soft_timer`: a softirq runs its timer, and `lock`: it slept mostly for locks of its program, or by BPF also for an rt_mutex of "
	       "the kernel; parts without a number"),
	ROW_AS("largest", kept_window, w.largest, RECORD, .of = &largest_record,
	       .flags = FIELD_NULL | FIELD_OFF_PAGE, FIELD_WITH(kept_window, w.largest.ns),
	       .text = "the largest single interruption: `kind`, `id`, `name`, `ns`, `phase`; or null. Of "
	       "attach also the task that had the CPU longest in a wait for it, with its sum in that "
	       "wait; the thread with the number 0: the CPU was idle"),
	ROW_AS("delayed_by", kept_window, w, RECORD, .of = &delayed_by_record,
	       .flags = FIELD_NULL | FIELD_OFF_PAGE, .presence = delay_presence,
	       .text = "what ran when the timer's interrupt came: `pid` (0: idle), `name`, "
	       "`idle_state` or null. Of attach null, unless a timer was late and the task is known"),
	ROW_AS("adjusted_ns", kept_window, w.adjusted_ns, COUNT, .flags = FIELD_OFF_PAGE),
	ROW_AS("clock_steps", kept_window, w.clock_steps, COUNT, .flags = FIELD_OFF_PAGE),
	ROW_AS("errors", kept_window, w.errors, COUNT, .flags = FIELD_OFF_PAGE,
	       .text = NO_ROW),
	ROW_AS("timeline", kept_window, kept.timeline, POINTER, .of = &timeline_record,
	       .flags = FIELD_LEFT_OUT | FIELD_NULL, .presence = timeline_presence,
	       .text = "with `--timeline`: what happened, in its order; null: it was lost"),
	ROW_AS("wait", kept_window, kept.wait, RECORD, .of = &wait_record,
	       .flags = FIELD_LEFT_OUT | FIELD_NULL | FIELD_OFF_PAGE, .presence = wait_presence,
	       .text = "with `--waits`: the longest sleep that ended in the window; null: none, or it was "
	       "lost. Of attach without it, of a window with the flag `lock`: the longest one for a "
	       "lock. `ns`; `woken_by` with `kind`, and for a task that may be named `name`, `tid`, "
	       "`pid`; `frames`, innermost first, each with its `name` and whether it is in the "
	       "`kernel`; `chain`, if it is known: [what kept the task from waking](#the-chain-behind-a-wait)"),
	ROW_AS("held_by", kept_window, kept.holder, RECORD, .of = &waker_record, .flags = FIELD_LEFT_OUT | FIELD_OFF_PAGE,
	       .presence = holder_presence,
	       .text = "of attach, like `woken_by`: who held the lock of its longest sleep for one as that "
	       "began, or for which an open window sleeps; if the kernel knows that task"),
	ROW_AS("place", kept_window, kept.place, RECORD, .of = &kernel_place_record, .flags = FIELD_LEFT_OUT | FIELD_OFF_PAGE,
	       .presence = place_presence,
	       .text = "where in the kernel the task was that made it late: `function`, `entry` and "
	       "`stack`, as in [places](#places)"),
	ROW_AS("functions", kept_window, kept.functions, POINTER, .of = &window_functions_record,
	       .flags = FIELD_LEFT_OUT | FIELD_NULL, .put = put_window_functions,
	       .text = NO_ROW),
	ROW_AS("host", kept_window, kept.host, CHARS,
	       .flags = FIELD_LEFT_OUT | FIELD_CUT | FIELD_PRIVATE,
	       .text = NO_ROW),
};

static const struct kept_window new_window = {
	.w.version = TLOB_WINDOW_VERSION, .w.size = sizeof(new_window.w),
	.w.delayed_by_pid = -1, .w.delayed_by_idle_state = -1,
};

const struct fields window_record =
	RECORD(kept_window, "window", window_fields, .init = &new_window);
