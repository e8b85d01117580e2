// SPDX-License-Identifier: GPL-2.0
/* Handles 40 orders, one every 5 ms. Each eighth one waits for a slow answer. */
#include <stdio.h>
#include <time.h>

static void pause_us(long us)
{
	nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

__attribute__((noinline)) void handle(int order)
{
	for (volatile int i = 0; i < 50000; i++)
		;
	if (order % 8 == 7)
		pause_us(3000);
}

__attribute__((noinline)) void reply(int order)
{
	printf("%d ", order);
}

int main(void)
{
	for (int order = 1; order <= 40; order++) {
		pause_us(5000);
		handle(order);
		reply(order);
	}
	puts("done");
	return 0;
}
