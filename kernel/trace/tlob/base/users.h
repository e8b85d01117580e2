/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who pays for what the kernel part has in common: users without
 * CAP_SYS_RESOURCE, and user namespaces. docs/reference/limits.md has the limits.
 *
 * All uids of a user namespace are the user who made it, so subordinate uids do
 * not multiply the limits. Root makes namespaces for others, as container
 * managers do. Each of these is a tenant: its users have the limits of users,
 * and all of them together TLOB_TENANT_USERS times these. So a tenant uses up
 * its own limits and not another's, as with the kernel's ucounts, whose
 * functions modules cannot call.
 *
 * A setuid program makes namespaces for its user with root's uid, but the user's
 * gid. These count for root, all together.
 */
#ifndef _TLOB_USERS_H
#define _TLOB_USERS_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct cred;
struct task_struct;
struct tlob_user;
struct user_namespace;

#define TLOB_PAYERS		2
#define TLOB_TENANT_USERS	4U
#define TLOB_SPACES_MAX		256	/* address spaces with enable bits per user */

struct tlob_payer {
	/*
	 * Only compared. After its end another one may have its address; while
	 * something of the first is left, both count together.
	 */
	const struct user_namespace *ns;
	kuid_t	uid;			/* invalid: all users of @ns together */
};

/* A user, and the namespace that it belongs to if root made one. */
struct tlob_payers {
	struct tlob_payer payer[TLOB_PAYERS];
	unsigned int nr;
};

/* Finds who pays for what a task with @cred takes. In any context. */
struct tlob_payers tlob_payers_of(const struct cred *cred);

/* The one whose share @task takes from: a user namespace that root made is one user. The same. */
struct tlob_payer tlob_task_user(const struct task_struct *task);

static inline bool tlob_payer_eq(const struct tlob_payer *a,
				 const struct tlob_payer *b)
{
	return a->ns == b->ns && __kuid_val(a->uid) == __kuid_val(b->uid);
}

/* Returns the limit of the payer with number @i where a user has @limit. */
static inline unsigned int tlob_payer_limit(unsigned int i, unsigned int limit)
{
	return i ? TLOB_TENANT_USERS * limit : limit;
}

/*
 * How much each user has of what all have in common: at most half of what is left to it.
 * So one user never has the rest, and the next one always finds something. Root has no
 * limit. The users that are one too many for the table share its last row. The owner's lock
 * protects it.
 */
#define TLOB_SHARES		24

struct tlob_shares {
	struct {
		struct tlob_payer payer;
		unsigned int nr;
	} of[TLOB_SHARES];		/* [0] is not used */
};

/*
 * Counts one more for @user while @left are free. Returns the number of its share, 0: no
 * limit, or -1 if it must not have more. For a raw lock.
 */
int  tlob_share_take(struct tlob_shares *shares, const struct tlob_payer *user,
		     unsigned int left);

static inline void tlob_share_give(struct tlob_shares *shares, int share)
{
	if (share)
		shares->of[share].nr--;
}

/*
 * Counts one more open file of the caller. Returns NULL for a caller without
 * limits, or ERR_PTR(-ENOMEM) or ERR_PTR(-EDQUOT). May sleep.
 */
struct tlob_user *tlob_user_open(const struct tlob_payers *payers);
void tlob_user_close(struct tlob_user *user);

/*
 * Counts one more address space with enable bits. Returns false if @user
 * already has the maximum (@user NULL: no limit). Crowded: the user has more
 * than half of it. The caller holds a file or an address space of @user. Giving
 * may sleep.
 */
bool tlob_user_take_space(struct tlob_user *user);
void tlob_user_give_space(struct tlob_user *user);
bool tlob_user_crowded(const struct tlob_user *user);

#endif /* _TLOB_USERS_H */
