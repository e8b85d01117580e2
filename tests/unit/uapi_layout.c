// SPDX-License-Identifier: GPL-2.0
/*
 * User space sees the same layout on 32 and on 64 bits. test_uapi.sh compiles this with -m32 and
 * without, and never runs it. -Wpadded finds holes; the assertions find fields that moved.
 */
#include <stddef.h>
#include <linux/tlob.h>

#define IS_AT(type, member, offset)					\
	_Static_assert(offsetof(struct type, member) == (offset),	\
		       #type "." #member " has moved")
#define HAS(type, size)							\
	_Static_assert(sizeof(struct type) == (size), #type " has another size")

HAS(tlob_event, 48);
IS_AT(tlob_event, tid, 0);
IS_AT(tlob_event, threshold_us, 8);
IS_AT(tlob_event, on_cpu_us, 16);
IS_AT(tlob_event, off_cpu_us, 24);
IS_AT(tlob_event, switches, 32);
IS_AT(tlob_event, state, 36);
IS_AT(tlob_event, tag, 40);

HAS(tlob_start, 24);
IS_AT(tlob_start, threshold_us, 0);
IS_AT(tlob_start, tag, 8);
IS_AT(tlob_start, notify_fd, 16);
IS_AT(tlob_start, flags, 20);
HAS(tlob_start_ns, 24);
IS_AT(tlob_start_ns, threshold_ns, 0);
IS_AT(tlob_start_ns, tag, 8);
IS_AT(tlob_start_ns, notify_fd, 16);
IS_AT(tlob_start_ns, flags, 20);

HAS(tlob_ring_setup, 16);
IS_AT(tlob_ring_setup, format, 0);
IS_AT(tlob_ring_setup, flags, 4);
IS_AT(tlob_ring_setup, length, 8);
HAS(tlob_listen, 40);
IS_AT(tlob_listen, name, 0);
IS_AT(tlob_listen, flags, 32);
HAS(tlob_enable, 16);
IS_AT(tlob_enable, addr, 0);
IS_AT(tlob_enable, bit, 8);

HAS(tlob_ring_page, 32);
IS_AT(tlob_ring_page, data_head, 0);
IS_AT(tlob_ring_page, data_tail, 4);
IS_AT(tlob_ring_page, capacity, 8);
IS_AT(tlob_ring_page, version, 12);
IS_AT(tlob_ring_page, data_offset, 16);
IS_AT(tlob_ring_page, record_size, 20);
IS_AT(tlob_ring_page, dropped, 24);

HAS(tlob_noise, 32);
IS_AT(tlob_noise, id, 8);
IS_AT(tlob_noise, kind, 12);
IS_AT(tlob_noise, name, 16);

HAS(tlob_task_window, 248);
IS_AT(tlob_task_window, flags, 4);
IS_AT(tlob_task_window, tid, 8);
IS_AT(tlob_task_window, state, 16);
IS_AT(tlob_task_window, tag, 24);
IS_AT(tlob_task_window, start_ns, 32);
IS_AT(tlob_task_window, elapsed_ns, 40);
IS_AT(tlob_task_window, threshold_ns, 48);
IS_AT(tlob_task_window, part_ns, 56);
IS_AT(tlob_task_window, count, 128);
IS_AT(tlob_task_window, unavailable, 144);
IS_AT(tlob_task_window, cpu, 148);
IS_AT(tlob_task_window, largest, 152);
IS_AT(tlob_task_window, adjusted_ns, 184);
IS_AT(tlob_task_window, clock_steps, 192);
IS_AT(tlob_task_window, errors, 196);
IS_AT(tlob_task_window, comm, 200);
IS_AT(tlob_task_window, binding, 216);

HAS(tlob_window, 296);
IS_AT(tlob_window, cpu, 4);
IS_AT(tlob_window, activation, 8);
IS_AT(tlob_window, part_ns, 64);
IS_AT(tlob_window, wake_count, 184);
IS_AT(tlob_window, flags, 216);
IS_AT(tlob_window, largest, 224);
IS_AT(tlob_window, delayed_by_pid, 256);
IS_AT(tlob_window, delayed_by, 264);
IS_AT(tlob_window, adjusted_ns, 280);

HAS(tlob_span, 32);
IS_AT(tlob_span, id, 8);
IS_AT(tlob_span, part, 12);
IS_AT(tlob_span, name, 16);
HAS(tlob_timeline, 2080);
IS_AT(tlob_timeline, activation, 8);
IS_AT(tlob_timeline, spans, 24);
IS_AT(tlob_timeline, span, 32);
HAS(tlob_function_time, 144);
IS_AT(tlob_function_time, max_ns, 120);
IS_AT(tlob_function_time, calls, 136);
HAS(tlob_functions, 1176);
IS_AT(tlob_functions, activation, 8);
IS_AT(tlob_functions, missed, 20);
IS_AT(tlob_functions, set, 24);

/* The numbers of the calls also hold the sizes. */
_Static_assert(TLOB_IOC_TRACE_START == 0x4018b901, "TRACE_START");
_Static_assert(TLOB_IOC_TRACE_STOP == 0xb902, "TRACE_STOP");

HAS(tlob_late_stack, 280);
IS_AT(tlob_late_stack, pid, 16);
IS_AT(tlob_late_stack, frame, 24);
HAS(tlob_late_window, 1136);
IS_AT(tlob_late_window, late, 296);

HAS(tlob_run_wait, 72);
IS_AT(tlob_run_wait, activation, 8);
IS_AT(tlob_run_wait, wait, 16);
HAS(tlob_wait_total, 24);
HAS(tlob_wait_waker, 32);
IS_AT(tlob_wait_waker, comm, 16);
HAS(tlob_wait_status, 96);
IS_AT(tlob_wait_status, flags, 8);
IS_AT(tlob_wait_status, now_ns, 16);
IS_AT(tlob_wait_status, tasks, 40);
IS_AT(tlob_wait_status, uncopied, 88);
HAS(tlob_wait_task, 104);
IS_AT(tlob_wait_task, id, 8);
IS_AT(tlob_wait_task, tid, 24);
IS_AT(tlob_wait_task, blocked, 32);
IS_AT(tlob_wait_task, asleep_ns, 80);
HAS(tlob_wait_stack, 464);
IS_AT(tlob_wait_stack, id, 8);
IS_AT(tlob_wait_stack, blocked, 24);
IS_AT(tlob_wait_stack, waker, 48);
IS_AT(tlob_wait_stack, kernel, 80);
IS_AT(tlob_wait_stack, code, 208);
HAS(tlob_window_wait, 56);
IS_AT(tlob_window_wait, stack, 8);
IS_AT(tlob_window_wait, flags, 16);
IS_AT(tlob_window_wait, waker, 24);
HAS(tlob_task_window_wait, 304);
IS_AT(tlob_task_window_wait, wait, 248);
HAS(tlob_task_function_time, 96);
IS_AT(tlob_task_function_time, max_ns, 72);
IS_AT(tlob_task_function_time, calls, 88);
HAS(tlob_task_functions, 776);
IS_AT(tlob_task_functions, set, 8);
HAS(tlob_task_window_functions, 1080);
IS_AT(tlob_task_window_functions, functions, 304);
_Static_assert(TLOB_IOC_STOP_WAIT == 0x8130b90a, "STOP_WAIT");
HAS(tlob_wait_copy, 4184);
IS_AT(tlob_wait_copy, stack, 8);
IS_AT(tlob_wait_copy, length, 20);
IS_AT(tlob_wait_copy, reg, 24);
IS_AT(tlob_wait_copy, data, 88);
