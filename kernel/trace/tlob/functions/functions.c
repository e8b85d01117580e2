// SPDX-License-Identifier: GPL-2.0
/*
 * The sets of functions and the file `functions`. A write adds a whole set or
 * nothing; opening the file with O_TRUNC removes all. An open file may own the sets:
 * they, and what measures with them, end with it.
 *
 * A tool finds the addresses. Here each one is looked at again, because a wrong
 * one could hang the kernel.
 */
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../base/room.h"
#include "functions.h"

#define TLOB_FUNCTIONS_TEXT	(64U << 10)	/* bytes of a write */
#define TLOB_FUNCTIONS_OWN	"until_close"	/* a set without addresses otherwise */

struct tlob_function_set tlob_function_set[TLOB_FUNCTION_SETS];
unsigned int tlob_function_sets;

/* The last refusal, for people. Under tlob_mutex. */
static char tlob_functions_refused[192];

/* The open file that owns the sets, or NULL. Under tlob_mutex. */
static const struct file *tlob_functions_owner;

/*
 * For tests only: the functions of this module may be probed. It must export a function
 * with its own name by EXPORT_SYMBOL_GPL, because only a symbol gives a reference to it.
 */
static char tlob_functions_module[TLOB_FUNCTION_MODULE];
module_param_string(functions_module, tlob_functions_module,
		    sizeof(tlob_functions_module), 0600);
MODULE_PARM_DESC(functions_module,
		 "for tests: the module whose functions may be probed; it must export a function of its own name");

/*
 * No set may have these names, or names that begin like one that ends with '*'. Probes
 * of the preemption counter recurse, and with lockdep the kernel hangs in silence.
 * The kernel's own handlers ask on debug kernels whether a lock of RCU is held, where
 * they do not look for recursion yet: a return recurses until the stack is full.
 * Reading the clock is what the hooks do while they move the cursor.
 */
static const char * const tlob_functions_never[] = {
	"preempt_count_*", "rcu_read_lock_*", "rcu_lockdep_*", "read_hpet",
	"acpi_pm_read*", "arch_counter_*", "tlob_*",
};

static int __printf(2, 3) tlob_functions_refuse(int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vscnprintf(tlob_functions_refused, sizeof(tlob_functions_refused), fmt, args);
	va_end(args);
	return err;
}

static bool tlob_function_is_never(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tlob_functions_never); i++) {
		const char *never = tlob_functions_never[i];
		size_t n = strlen(never);

		if (never[n - 1] == '*' ? !strncmp(name, never, n - 1) :
					  !strcmp(name, never))
			return true;
	}
	return false;
}

/* The module of the text that sprint_symbol() wrote, or NULL. Changes @symbol. */
static char *tlob_symbol_module(char *symbol)
{
	char *module = strchr(symbol, '[');

	if (!module)
		return NULL;
	module[strcspn(module, "]")] = '\0';
	return module + 1;
}

/* Holds the module whose functions may be probed, if it is there, until @s is freed. */
static void tlob_functions_hold(struct tlob_function_set *s)
{
	char symbol[KSYM_SYMBOL_LEN], *module;
	void *function;

	kernel_param_lock(THIS_MODULE);
	strscpy(s->module, tlob_functions_module, sizeof(s->module));
	kernel_param_unlock(THIS_MODULE);
	function = *s->module ? tlob_symbol_get(s->module) : NULL;
	if (!function) {
		*s->module = '\0';
		return;
	}
	sprint_symbol(symbol, (unsigned long)function);
	module = tlob_symbol_module(symbol);
	if (module && !strcmp(module, s->module))
		return;
	/* the symbol belongs to another one */
	tlob_symbol_put(s->module);
	*s->module = '\0';
}

static void tlob_functions_free_set(struct tlob_function_set *s)
{
	if (*s->module)
		tlob_symbol_put(s->module);
	kvfree(s->address);
	memset(s, 0, sizeof(*s));
}

/* Returns 0, -EINVAL or -EPERM; then the reason is noted. */
static int tlob_function_check(const struct tlob_function_set *s, unsigned long address)
{
	char symbol[KSYM_SYMBOL_LEN], *offset, *module;

	sprint_symbol(symbol, address);
	offset = strstr(symbol, "+0x");
	if (!offset)
		return tlob_functions_refuse(-EINVAL, "0x%lx: no function is there", address);
	if (strncmp(offset, "+0x0/", 5))
		return tlob_functions_refuse(-EINVAL, "%s: not the start of a function",
					     symbol);
	module = tlob_symbol_module(offset);
	*offset = '\0';
	if (module) {
		if (strcmp(module, s->module))
			return tlob_functions_refuse(-EPERM, "%s: module %s may go away",
						     symbol, module);
	} else if (tlob_function_is_never(symbol)) {
		return tlob_functions_refuse(-EPERM, "%s: probing it may hang the kernel", symbol);
	}
	if (!tlob_function_can_be_probed(address))
		return tlob_functions_refuse(-EINVAL, "%s: it cannot be traced", symbol);
	return 0;
}

static bool tlob_function_name_fits(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return n && !name[n] && n < TLOB_FUNCTION_NAME && *name >= 'a';
}

static unsigned int tlob_functions_addresses(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < tlob_function_sets; i++)
		n += tlob_function_set[i].nr;
	return n;
}

static int tlob_function_compare(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* Reads addresses into @s, which has room for @room. Returns 0 or -errno. */
static int tlob_functions_parse(struct tlob_function_set *s, char *text,
				unsigned int room)
{
	unsigned int i, n = 0;
	char *word;
	int err;

	while ((word = strsep(&text, " \t\n"))) {
		if (!*word)
			continue;
		if (n == room)
			return tlob_functions_refuse(-E2BIG, "more than %u addresses in all",
						     tlob_functions_limit());
		if (kstrtoul(word, 16, &s->address[n]))
			return tlob_functions_refuse(-EINVAL, "'%.32s' is not a hex address",
						     word);
		err = tlob_function_check(s, s->address[n++]);
		if (err)
			return err;
	}
	if (!n)
		return tlob_functions_refuse(-EINVAL, "set %s has no address", s->name);
	sort(s->address, n, sizeof(*s->address), tlob_function_compare, NULL);
	for (i = 0; i < n; i++)
		if (!i || s->address[i] != s->address[s->nr - 1])
			s->address[s->nr++] = s->address[i];
	return 0;
}

/* Returns whether a run or the monitor has the sets. Under tlob_mutex. */
static bool tlob_functions_in_use(void)
{
	return tlob_run.state == TLOB_ENABLED || tlob_functions_of_monitor();
}

/* The totals of the last run belong to other sets from now on. */
static void tlob_functions_changed(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		tlob_functions_forget(tlob_cpu(cpu));
}

static int tlob_functions_check_name(const char *name)
{
	unsigned int i;

	if (!tlob_function_name_fits(name))
		return tlob_functions_refuse(-EINVAL, "'%.32s' is not a name: [a-z][a-z0-9_]{0,14}",
					     name);
	for (i = 0; i < tlob_function_sets; i++)
		if (!strcmp(tlob_function_set[i].name, name))
			return tlob_functions_refuse(-EEXIST, "set %s is there already", name);
	if (tlob_function_sets == TLOB_FUNCTION_SETS)
		return tlob_functions_refuse(-E2BIG, "set %s: there are %u sets already",
					     name, TLOB_FUNCTION_SETS);
	return 0;
}

/* Adds the set in @text. Under tlob_mutex. Returns 0 or -errno. */
static int tlob_functions_add(char *text)
{
	unsigned int room = tlob_functions_limit() - tlob_functions_addresses();
	struct tlob_function_set s = {};
	char *name = strsep(&text, " \t");
	unsigned long *exact;
	int err;

	err = tlob_functions_check_name(name);
	if (err)
		return err;
	strscpy(s.name, name, sizeof(s.name));
	s.address = kvmalloc_array(room + 1, sizeof(*s.address), GFP_KERNEL);
	if (!s.address)
		return -ENOMEM;
	tlob_functions_hold(&s);
	err = tlob_functions_parse(&s, text, room);
	if (!err) {
		exact = kvmalloc_array(s.nr, sizeof(*exact), GFP_KERNEL);
		err = exact ? 0 : -ENOMEM;
	}
	if (!err) {
		memcpy(exact, s.address, s.nr * sizeof(*exact));
		kvfree(s.address);
		s.address = exact;
		tlob_functions_changed();
		tlob_function_set[tlob_function_sets++] = s;
		*tlob_functions_refused = '\0';
		return 0;
	}
	tlob_functions_free_set(&s);
	return err;
}

/*
 * Adds the set in @text for @file, or makes it the owner of all sets. Under tlob_mutex.
 * Returns 0 or -errno.
 */
static int tlob_functions_take(const struct file *file, char *text)
{
	if (tlob_functions_owner && tlob_functions_owner != file)
		return tlob_functions_refuse(-EBUSY, "another open file owns the sets");
	if (tlob_functions_in_use())
		return tlob_functions_refuse(-EBUSY, "%s", tlob_functions_of_monitor() ?
					     "functions_monitor is 1" : "a run is enabled");
	if (!strcmp(text, TLOB_FUNCTIONS_OWN)) {
		tlob_functions_owner = file;
		return 0;
	}
	if (!tlob_functions_mechanism())
		return tlob_functions_refuse(-EOPNOTSUPP, "no fprobe and no kretprobes on ftrace");
	return tlob_functions_add(text);
}

static ssize_t tlob_functions_write_file(struct file *file, const char __user *buf,
					 size_t size, loff_t *pos)
{
	char *text;
	int err;

	if (size > TLOB_FUNCTIONS_TEXT)
		return -E2BIG;
	text = memdup_user_nul(buf, size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	mutex_lock(&tlob_mutex);
	if (strlen(text) + 1 < size)
		err = -EINVAL;
	else
		err = tlob_functions_take(file, strim(text));
	mutex_unlock(&tlob_mutex);
	kfree(text);
	return err ?: size;
}

/* Removes all sets. Nothing measures with them. Under tlob_mutex. */
static void tlob_functions_clear(void)
{
	tlob_functions_changed();
	while (tlob_function_sets)
		tlob_functions_free_set(&tlob_function_set[--tlob_function_sets]);
	*tlob_functions_refused = '\0';
}

static void tlob_functions_show_set(struct seq_file *m, unsigned int set)
{
	const struct tlob_function_set *s = &tlob_function_set[set];
	struct tlob_function_total t = { .missed = tlob_function_missed(set) };
	int cpu;

	for_each_possible_cpu(cpu)
		tlob_function_add_total(tlob_cpu(cpu), set, &t);
	seq_printf(m, "set %s addresses %u calls %llu net_ns %llu max_ns %llu max_function 0x%llx open %llu unreturned %llu missed %llu\n",
		   s->name, s->nr, t.calls, t.net_ns, t.max_ns, t.max_function,
		   t.open, t.unreturned, t.missed);
}

static int tlob_functions_show(struct seq_file *m, void *v)
{
	unsigned int i;

	mutex_lock(&tlob_mutex);
	seq_printf(m, "mechanism: %s\nlimit: %u\n", tlob_functions_mechanism() ?: "none",
		   tlob_functions_limit());
	seq_printf(m, "probe_ns: %llu\n", tlob_function_probe_ns);
	for (i = 0; i < tlob_function_sets; i++)
		tlob_functions_show_set(m, i);
	if (*tlob_functions_refused)
		seq_printf(m, "refused: %s\n", tlob_functions_refused);
	mutex_unlock(&tlob_mutex);
	return 0;
}

static int tlob_functions_monitor_start(void)
{
	int err;

	if (tlob_functions_in_use())
		return -EBUSY;
	if (!tlob_function_sets)
		return -ENODATA;
	/* without SMP there is no lock to try */
	if (!IS_ENABLED(CONFIG_SMP))
		return -EOPNOTSUPP;
	err = tlob_functions_task_begin();
	if (err)
		return err;
	err = tlob_functions_attach();
	if (err)
		tlob_functions_task_end();
	return err;
}

/*
 * Gives the sets to the windows of the monitor that begin from now on, or takes them
 * away from all. Under tlob_mutex; may sleep. Returns 0, -EBUSY, -ENODATA without sets,
 * -EOPNOTSUPP, -ENOMEM or the error of the probes. Off never fails.
 */
static int tlob_functions_monitor(bool on)
{
	lockdep_assert_held(&tlob_mutex);
	if (on)
		return tlob_functions_monitor_start();
	if (!tlob_functions_of_monitor())
		return 0;
	tlob_functions_detach();
	tlob_functions_task_end();
	return 0;
}

static int tlob_functions_open(struct inode *inode, struct file *file)
{
	int err = tlob_may_open();

	if (!err && (file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&tlob_mutex);
		if (tlob_functions_owner || tlob_functions_in_use())
			err = -EBUSY;
		else
			tlob_functions_clear();
		mutex_unlock(&tlob_mutex);
	}
	return err ?: single_open(file, tlob_functions_show, NULL);
}

/* The owner is gone, perhaps killed: what measures with its sets ends, and they go. */
static int tlob_functions_release(struct inode *inode, struct file *file)
{
	mutex_lock(&tlob_mutex);
	if (tlob_functions_owner == file) {
		tlob_functions_owner = NULL;
		if (tlob_functions_of_run() && tlob_run.state == TLOB_ENABLED)
			tlob_run.end();
		tlob_functions_monitor(false);
		tlob_functions_clear();
	}
	mutex_unlock(&tlob_mutex);
	return single_release(inode, file);
}

static const struct file_operations tlob_functions_fops = {
	.owner = THIS_MODULE,
	.open = tlob_functions_open,
	.read = seq_read,
	.write = tlob_functions_write_file,
	.llseek = seq_lseek,
	.release = tlob_functions_release,
};

static const struct tlob_extra tlob_functions_extra = {
	.file = "functions",
	.fops = &tlob_functions_ring_fops,
	.ordered = true,
	.wanted = tlob_functions_of_run,
	.bytes = tlob_functions_bytes,
	.attach = tlob_functions_attach,
	.detach = tlob_functions_detach,
	.alloc = tlob_functions_alloc,
	.free = tlob_functions_free,
	.forget = tlob_functions_forget,
	.begin = tlob_functions_begin,
	.close = tlob_functions_close,
	.write = tlob_functions_write,
	.end = tlob_functions_end,
	.exited = tlob_functions_exited,
};

static int tlob_functions_init(void)
{
	tlob_extra_add(&tlob_functions_extra);
	tlob_functions_task_init();
	return 0;
}

static void tlob_functions_stop(void)
{
	mutex_lock(&tlob_mutex);
	tlob_functions_monitor(false);
	mutex_unlock(&tlob_mutex);
}

static void tlob_functions_exit(void)
{
	mutex_lock(&tlob_mutex);
	tlob_functions_clear();
	mutex_unlock(&tlob_mutex);
}

static const struct tlob_switch tlob_file_functions_monitor __maybe_unused = {
	.get = tlob_functions_of_monitor, .set = tlob_functions_monitor,
};

static const struct tlob_file_entry tlob_functions_files[] = {
	{ "functions", 0600, &tlob_functions_fops },
#ifdef TLOB_HAS_MONITOR
	{ "functions_monitor", 0600, &tlob_switch_fops, &tlob_file_functions_monitor },
#endif
	{}
};

static const struct tlob_file_entry tlob_functions_cpu_files[] = {
	{ "functions_hist", 0400, &tlob_functions_hist_fops },
	{}
};

const struct tlob_room tlob_functions_room = {
	.name = "functions",
	.init = tlob_functions_init,
	.files = tlob_functions_files,
	.cpu_files = tlob_functions_cpu_files,
	.stop = tlob_functions_stop,
	.exit = tlob_functions_exit,
};
