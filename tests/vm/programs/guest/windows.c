// SPDX-License-Identifier: GPL-2.0
/* N windows of each workload, and what must hold for all of them. */
#include <fcntl.h>
#include <unistd.h>

#include "guest.h"
#include "windows.h"

struct tlob_window win[N];

void run_kthread(uint64_t period, uint64_t budget, const char *work)
{
	int fd;
	size_t i;

	setup("kthread", "0", period, budget, work);
	enable();
	fd = open_cpu(0, "windows", O_RDONLY);
	read_windows(fd, win, N);
	close(fd);
	disable();
	check_no_defect(0);
	check_expiries(0);
	for (i = 0; i < N; i++) {
		check_window(&win[i]);
		check_eq(win[i].budget_ns, budget);
		check(win[i].flags & TLOB_WINDOW_KTHREAD);
		if (i)
			check_eq(win[i].activation,
				 win[i - 1].activation + 1 + win[i].missed);
		check_eq(win[i].t0_ns - win[0].t0_ns,
			 (win[i].activation - win[0].activation) * period);
	}
}

void run_user(uint64_t period, uint64_t budget, void (*work)(void))
{
	struct tlob_window w;
	size_t i;
	int fd;

	setup("user", "0", period, budget, "none");
	enable();
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_eq(w.flags, TLOB_WINDOW_NONE);
	for (i = 0; i < N; i++) {
		work();
		check_eq(read(fd, &win[i], sizeof(w)), sizeof(w));
	}
	close(fd);
	unpin();
	disable();
	check_no_defect(0);
	check_expiries(0);
	for (i = 0; i < N; i++) {
		check_window(&win[i]);
		check(!(win[i].flags & TLOB_WINDOW_KTHREAD));
		if (i)
			check_eq(win[i].activation,
				 win[i - 1].activation + 1 + win[i].missed);
	}
}
