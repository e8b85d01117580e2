// SPDX-License-Identifier: GPL-2.0
// Sleeps five times 20 ms in audio::Queue::pop(int), called by audio::reply(), without frame
// pointers. Its stack holds a text that no file may contain.
#include <chrono>
#include <cstring>
#include <thread>

namespace audio {

class Queue {
public:
	int pop(int n);
};

__attribute__((noinline)) int Queue::pop(int n)
{
	std::this_thread::sleep_for(std::chrono::milliseconds(20));
	return n + 1;
}

__attribute__((noinline)) int reply(Queue &q, char *secret)
{
	int n = q.pop(secret[0]);

	asm volatile("" : : "r" (secret) : "memory");
	return n + 2;
}

} // namespace audio

int main()
{
	char secret[32];
	audio::Queue q;
	int n = 0;

	/* put together here, so that the program's file has it nowhere either */
	std::strcpy(secret, "correct");
	std::strcat(secret, "-horse-battery");
	for (int i = 0; i < 5; i++)
		n += audio::reply(q, secret);
	return n == 0;
}
