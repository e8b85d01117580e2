// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "options/run_config.h"
#include "result/parts.h"
#include "result/result.h"
#include "run/sample_out.h"
#include "util/error.h"
#include "util/file.h"
#include "util/process.h"

/* At the shortest period this is a second of 20 CPUs; else what a user may have. */
#define PIPE_BYTES	(16 << 20)
#define PIPE_BYTES_USER	(1 << 20)

/* In the child. It ends with the pipe, and so with the tool. */
static void write_samples(struct sample_out *o, const struct cpus *cpus, int pipe)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1 };
	struct cpulist left = cpulist_without(&cpus->housekeeping, &cpus->measured);
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	setpgid(0, 0);
	prctl(PR_SET_NAME, "tlob-samples");
	if (cpus_confine(&left) || dup2(pipe, 3) < 0 || dup2(o->file, 4) < 0)
		_exit(1);
	/* not the lock on the state file */
	close_from(5);
	sample_convert(3, 4, o->gz, o->config->samples_size, o->config->period_ns, o->counts);
	_exit(0);
}

static int start_writer(struct sample_out *o, const struct cpus *cpus)
{
	int ends[2], high, err;

	if (pipe2(ends, O_CLOEXEC))
		return fail(-errno, "--samples: pipe: %s", strerror(errno));
	/* above the numbers that the child gives out */
	high = fcntl(ends[0], F_DUPFD_CLOEXEC, 5);
	close(ends[0]);
	o->fd = ends[1];
	fcntl(o->fd, F_SETFL, O_NONBLOCK);
	if (fcntl(o->fd, F_SETPIPE_SZ, PIPE_BYTES) < 0)
		fcntl(o->fd, F_SETPIPE_SZ, PIPE_BYTES_USER);
	o->writer = high < 0 ? -1 : fork();
	if (!o->writer) {
		close(o->fd);
		write_samples(o, cpus, high);
	}
	err = errno;
	close(high);
	if (o->writer > 0)
		return 0;
	o->writer = 0;
	return fail(-err, "--samples: fork: %s", strerror(err));
}

int sample_out_start(struct sample_out *o, const struct run_config *config, const struct cpus *cpus,
		     const struct output *file)
{
	struct cpulist left = cpulist_without(&cpus->housekeeping, &cpus->measured);
	int err;

	*o = (struct sample_out){ .fd = -1, .file = -1, .config = config };
	if (!config->samples)
		return 0;
	err = sample_is_gz(config->samples, &o->gz);
	if (err)
		return err;
	o->file = fcntl(fileno(file->f), F_DUPFD_CLOEXEC, 5);
	o->counts = mmap(NULL, sizeof(*o->counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (o->counts == MAP_FAILED)
		o->counts = NULL;
	if (o->file < 0 || !o->counts)
		return fail(-errno, "--samples: %s", strerror(errno));
	if (!cpulist_is_empty(&left))
		return start_writer(o, cpus);
	o->held_only = true;
	o->fd = memfd_create("tlob-samples", MFD_CLOEXEC);
	return o->fd >= 0 ? 0 : fail(-errno, "--samples: memory: %s", strerror(errno));
}

void sample_out_flush(struct sample_out *o)
{
	size_t bytes = o->n * sizeof(o->batch[0]), i;
	bool room = o->writer || o->held + bytes <= o->config->samples_size;

	if (!o->n)
		return;
	if (!room || write(o->fd, o->batch, bytes) != (ssize_t)bytes)
		for (i = 0; i < o->n; i++)
			o->dropped += 1 + o->batch[i].missed;
	else
		o->held += bytes;
	o->n = 0;
}

void sample_out_add(struct sample_out *o, const struct tlob_window *w)
{
	if (o->fd < 0 || w->flags & (TLOB_WINDOW_NONE | TLOB_WINDOW_WARM_UP))
		return;
	o->batch[o->n++] = (struct sample){
		.t0_ns = w->t0_ns, .irq_ns = w->irq_latency_ns, .wake_ns = w->wake_ns,
		.response_ns = w->response_ns, .missed = w->missed, .cpu = w->cpu,
		.verdict = (w->flags & TLOB_WINDOW_VIOLATION) ? SAMPLE_VIOLATION : SAMPLE_OK,
		.no_irq = !irq_is_available(w->unavailable),
	};
	if (o->n == SAMPLES_BATCH)
		sample_out_flush(o);
}

int sample_out_finish(struct sample_out *o, struct result *r)
{
	struct sample_counts *c = o->counts;
	int status = 0;

	if (o->fd < 0)
		return 0;
	sample_out_flush(o);
	if (!o->writer && !lseek(o->fd, 0, SEEK_SET))
		sample_convert(o->fd, o->file, o->gz, o->config->samples_size, o->config->period_ns, c);
	close(o->fd);
	o->fd = -1;
	while (o->writer && waitpid(o->writer, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		c->error = -EPIPE;	/* somebody killed it */
	o->writer = 0;
	r->samples = (struct sample_totals){
		.asked = true, .written = c->written, .left_out = c->left_out + o->dropped,
	};
	if (o->dropped && result_note(r, "%" PRIu64 " samples were left out: %s", o->dropped, o->held_only ?
				      "all CPUs were measured, and what waited in memory had the --samples-size" :
				      "they came faster than they could be written"))
		return fail(-ENOMEM, "out of memory");
	if (c->left_out && result_note(r, "%" PRIu64 " samples were left out: %s", c->left_out,
				       c->error ? strerror(-c->error) : "the file has its --samples-size"))
		return fail(-ENOMEM, "out of memory");
	return 0;
}

int sample_out_error(const struct sample_out *o)
{
	if (!o->counts || !o->counts->error)
		return 0;
	return fail(o->counts->error, "--samples %s: %s: %" PRIu64 " rows were written, %" PRIu64 " were left out",
		    o->config->samples, strerror(-o->counts->error), o->counts->written, o->counts->left_out);
}

void sample_out_free(struct sample_out *o)
{
	if (o->fd >= 0)
		close(o->fd);
	if (o->file >= 0)
		close(o->file);
	while (o->writer > 0 && waitpid(o->writer, NULL, 0) < 0 && errno == EINTR)
		;
	if (o->counts)
		munmap(o->counts, sizeof(*o->counts));
	*o = (struct sample_out){ .fd = -1, .file = -1 };
}
