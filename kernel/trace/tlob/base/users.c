// SPDX-License-Identifier: GPL-2.0
/*
 * Users and user namespaces, their open files, and their address spaces with
 * enable bits. slots.c counts their windows, because a START must not allocate.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "users.h"

/*
 * A limit, because each file may have a ring in memory that cannot be swapped.
 */
#define TLOB_FILES_PER_USER	64

/* Exists while a payer has open files or address spaces. */
struct tlob_user {
	struct hlist_node node;
	struct tlob_payer payer;
	struct tlob_user *tenant;	/* the namespace; NULL: none, or it is one */
	refcount_t refs;		/* of files, address spaces, users of a tenant */
	unsigned int files;		/* under tlob_users_lock */
	atomic_t spaces;		/* address spaces with enable bits */
};

static DEFINE_MUTEX(tlob_users_lock);
static DEFINE_HASHTABLE(tlob_users, 8);

struct tlob_payers tlob_payers_of(const struct cred *cred)
{
	struct tlob_payers to = { .payer[0] = { cred->user_ns, cred->uid }, .nr = 1 };
	const struct user_namespace **ns = &to.payer[0].ns;

	while (*ns != &init_user_ns) {
		if ((*ns)->parent == &init_user_ns &&
		    uid_eq((*ns)->owner, GLOBAL_ROOT_UID) &&
		    gid_eq((*ns)->group, GLOBAL_ROOT_GID)) {
			to.payer[1] = (struct tlob_payer){ *ns, INVALID_UID };
			to.nr = 2;
			break;
		}
		to.payer[0].uid = (*ns)->owner;
		*ns = (*ns)->parent;
	}
	return to;
}

struct tlob_payer tlob_task_user(const struct task_struct *task)
{
	struct tlob_payers payers;

	rcu_read_lock();
	payers = tlob_payers_of(__task_cred(task));
	rcu_read_unlock();
	return payers.payer[payers.nr - 1];
}

int tlob_share_take(struct tlob_shares *shares, const struct tlob_payer *user,
		    unsigned int left)
{
	unsigned int i, unused = 0;

	if (user->ns == &init_user_ns && uid_eq(user->uid, GLOBAL_ROOT_UID))
		return 0;
	for (i = 1; i < TLOB_SHARES - 1; i++) {
		if (!shares->of[i].nr)
			unused = unused ?: i;
		else if (tlob_payer_eq(&shares->of[i].payer, user))
			break;
	}
	if (i == TLOB_SHARES - 1 && unused) {
		i = unused;
		shares->of[i].payer = *user;
	}
	if (shares->of[i].nr >= left)
		return -1;
	shares->of[i].nr++;
	return i;
}

/*
 * Returns whether the caller has no limits. A setuid program has its rights from
 * its file and not from the user who runs it. Who gives a file CAP_SYS_RESOURCE
 * alone means this. A caller without the capability continues with limits, so
 * this writes no audit record.
 */
static bool tlob_may_have_all(void)
{
	const struct cred *cred = current_cred();

	return uid_eq(cred->uid, cred->euid) &&
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
}

/* Under tlob_users_lock. */
static struct tlob_user *tlob_user_find(const struct tlob_payer *payer)
{
	struct tlob_user *user;

	hash_for_each_possible(tlob_users, user, node, __kuid_val(payer->uid))
		if (tlob_payer_eq(&user->payer, payer))
			return user;
	return NULL;
}

/* Drops one reference of @user. Under tlob_users_lock. */
static void tlob_user_drop(struct tlob_user *user)
{
	while (user && refcount_dec_and_test(&user->refs)) {
		struct tlob_user *tenant = user->tenant;

		hash_del(&user->node);
		kfree(user);
		user = tenant;
	}
}

/*
 * Returns the user of @payer, with a new reference. @tenant: the caller's
 * reference becomes the user's. @new is used for a user that is not there yet,
 * and set to NULL. Under tlob_users_lock.
 */
static struct tlob_user *tlob_user_get(const struct tlob_payer *payer,
				       struct tlob_user *tenant,
				       struct tlob_user **new)
{
	struct tlob_user *user = tlob_user_find(payer);

	if (user) {
		refcount_inc(&user->refs);
		tlob_user_drop(tenant);
		return user;
	}
	user = *new;
	*new = NULL;
	user->payer = *payer;
	user->tenant = tenant;
	refcount_set(&user->refs, 1);
	hash_add(tlob_users, &user->node, __kuid_val(payer->uid));
	return user;
}

static bool tlob_user_has_all_files(const struct tlob_user *user)
{
	return user->files >= TLOB_FILES_PER_USER ||
	       (user->tenant && user->tenant->files >=
		tlob_payer_limit(1, TLOB_FILES_PER_USER));
}

static void tlob_user_add_files(struct tlob_user *user, int n)
{
	for (; user; user = user->tenant)
		user->files += n;
}

struct tlob_user *tlob_user_open(const struct tlob_payers *payers)
{
	struct tlob_user *user = NULL, *new[TLOB_PAYERS] = {};
	unsigned int i;

	if (tlob_may_have_all())
		return NULL;

	/* not under the lock, so other users do not wait for this allocation */
	for (i = 0; i < payers->nr; i++) {
		new[i] = kzalloc(sizeof(*new[i]), GFP_KERNEL_ACCOUNT);
		if (!new[i]) {
			user = ERR_PTR(-ENOMEM);
			goto free;
		}
	}
	mutex_lock(&tlob_users_lock);
	for (i = payers->nr; i--;)
		user = tlob_user_get(&payers->payer[i], user, &new[i]);
	if (tlob_user_has_all_files(user)) {
		tlob_user_drop(user);
		user = ERR_PTR(-EDQUOT);
	} else {
		tlob_user_add_files(user, 1);
	}
	mutex_unlock(&tlob_users_lock);
free:
	for (i = 0; i < TLOB_PAYERS; i++)
		kfree(new[i]);
	return user;
}

void tlob_user_close(struct tlob_user *user)
{
	if (!user)
		return;
	mutex_lock(&tlob_users_lock);
	tlob_user_add_files(user, -1);
	tlob_user_drop(user);
	mutex_unlock(&tlob_users_lock);
}

/* Gives one address space back to the users from @user up to @end. */
static void tlob_user_less_spaces(struct tlob_user *user,
				  const struct tlob_user *end)
{
	for (; user != end; user = user->tenant)
		atomic_dec(&user->spaces);
}

/* Runs in a fork. */
bool tlob_user_take_space(struct tlob_user *user)
{
	unsigned int level = 0;
	struct tlob_user *i;

	if (!user)
		return true;
	for (i = user; i; i = i->tenant)
		if (atomic_inc_return(&i->spaces) >
		    tlob_payer_limit(level++, TLOB_SPACES_MAX)) {
			tlob_user_less_spaces(user, i->tenant);
			return false;
		}
	refcount_inc(&user->refs);
	return true;
}

void tlob_user_give_space(struct tlob_user *user)
{
	if (!user)
		return;
	tlob_user_less_spaces(user, NULL);
	/* the end of a process seldom waits for other users */
	if (refcount_dec_not_one(&user->refs))
		return;
	mutex_lock(&tlob_users_lock);
	tlob_user_drop(user);
	mutex_unlock(&tlob_users_lock);
}

static bool tlob_spaces_are_many(const struct tlob_user *user, unsigned int level)
{
	return atomic_read(&user->spaces) >
	       tlob_payer_limit(level, TLOB_SPACES_MAX) / 2;
}

bool tlob_user_crowded(const struct tlob_user *user)
{
	return user && (tlob_spaces_are_many(user, 0) ||
			(user->tenant && tlob_spaces_are_many(user->tenant, 1)));
}
