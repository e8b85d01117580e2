# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Debian chroots, by debootstrap from this machine's mirror. After lib.sh.

# chroot_mirror: where this machine's apt has its own release from. One of http is taken before
# the others, for debootstrap need not know those. It has the other releases as well.
chroot_mirror() {
	local codename
	# shellcheck disable=SC1091 # exists on every Debian
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	# shellcheck disable=SC2016 # apt-get fills these in
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v suite="$codename" '$2 == suite && $3 == "main" { print $1 }' |
		sort -r | awk '/^http:/ { print; found = 1; exit } { other = $0 } END { if (!found) print other }'
}

# chroot_make ROOT SUITE PACKAGES CACHE [FRESH]: makes ROOT, with these packages (separated by commas). The
# first time it stays in CACHE/SUITE-*.tar, which is unpacked from then on; FRESH is yes: made anew.
# The packages are also kept: a chroot that could not be finished costs no second download.
chroot_make() {
	local root=$1 suite=$2 packages=$3 cache=$4 from name
	name=$cache/$suite-$(md5sum <<< "$packages" | cut -c 1-8)
	mkdir -p "$root" "$cache/debs"
	if [ "${5-no}" = no ] && [ -s "$name.tar" ]; then
		tar -C "$root" -xf "$name.tar"
		return
	fi
	from=$(chroot_mirror)
	[ -n "$from" ] || die "apt is not configured for this release: no mirror to take $suite from"
	debootstrap --variant=minbase --cache-dir="$cache/debs" "$suite" "$root" "$from" \
		> "$name.log" 2>&1 < /dev/null || { tail -n 20 "$name.log" >&2; die "debootstrap of $suite failed"; }
	# not by --include: debootstrap fails at packages that need each other. apt asks as this machine does
	apt-config dump Acquire > "$root/etc/apt/apt.conf.d/90machine"
	# shellcheck disable=SC2086 # words
	[ -z "$packages" ] || { chroot_run "$root" apt-get -q update && chroot_run "$root" apt-get -qy --no-install-recommends \
		install ${packages//,/ }; } >> "$name.log" 2>&1 || { tail -n 20 "$name.log" >&2; die "no $packages in $suite"; }
	rm "$root/etc/apt/apt.conf.d/90machine"
	umount -R "$root/proc" "$root/sys" 2>/dev/null || :
	rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
	tar -C "$root" --one-file-system -cf "$name.new" .
	mv "$name.new" "$name.tar"
}

# chroot_run ROOT COMMAND...: with nothing of this machine's environment.
chroot_run() {
	local root=$1
	shift
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive "$@" < /dev/null
}
