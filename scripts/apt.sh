# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What fetch-kernel, fetch-sysroot, fetch-source and build-json-c share: apt, with this
# machine's suites, with newer ones of the same mirror, with its sources, or with packages
# of another architecture. After lib.sh.
#
# apt is the options of each call. Sandbox: the user _apt need not be able to write here.
apt=(-o APT::Sandbox::User=root)
suites="trixie-backports sid experimental"
# The suites in place of the machine's own security suite; as a rule there are none.
security=
# or deb-src
types=deb

# candidate PACKAGE: the version that apt would take, or nothing.
candidate() {
	apt-cache "${apt[@]}" policy "$1" 2>/dev/null | awk '$1 == "Candidate:" && $2 != "(none)" { print $2 }'
}

# one_line FILE SUITE SUITES: its entries for SUITE, once for each of SUITES. Options in
# brackets stay as they are.
one_line() {
	local suite
	for suite in $3; do
		sed -nE "s/#.*//; s,^\s*deb\s+((\[[^]]*\]\s+)?\S+)\s+$2/?\s+(.*\s)?main(\s.*)?\$,$types \1 $suite main,p" "$1"
	done
}

# deb822 FILE SUITE SUITES: its paragraphs for SUITE with SUITES in place of theirs. The
# other fields stay as they are, so a key is where the machine has it.
deb822() {
	[ -n "$3" ] || return 0
	grep -v '^#' "$1" | awk -v codename="$2" -v suites="$3" -v types="$types" '
	BEGIN { RS = ""; FS = "\n" }
	{
		rest = ""
		split("", field)
		for (i = 1; i <= NF; i++) {
			if ($i !~ /^[ \t]/) {
				name = tolower(substr($i, 1, index($i, ":") - 1))
				field[name] = substr($i, index($i, ":") + 1)
			} else {
				field[name] = field[name] " " $i
			}
			if (name !~ /^(types|suites|components)$/)
				rest = rest $i "\n"
		}
		if ((" " field["types"] " ") !~ /[ \t]deb[ \t]/ ||
		    (" " field["suites"] " ") !~ ("[ \t]" codename "/?[ \t]") ||
		    (" " field["components"] " ") !~ /[ \t]main[ \t]/ ||
		    tolower(field["enabled"]) ~ /no|false|0/)
			next
		printf "Types: %s\nSuites: %s\nComponents: main\n%s\n", types, suites, rest
	}'
}

# private_apt DIR: a configuration of apt of its own in DIR, with package lists of
# $types, $suites and $security; adds the options that select it to apt.
private_apt() {
	local dir=$1 list='' parts='' file codename
	# shellcheck disable=SC1091 # exists on every Debian
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	eval "$(apt-config shell list Dir::Etc::SourceList/f parts Dir::Etc::SourceParts/d)"
	mkdir -p "$dir"/{sources,state/lists/partial,cache/archives/partial}
	: > "$dir/status"
	for file in "$list" "${parts%/}"/*.list; do
		[ ! -f "$file" ] || { one_line "$file" "$codename" "$suites"; one_line "$file" "$codename-security" "$security"; }
	done > "$dir/sources/private.list"
	for file in "${parts%/}"/*.sources; do
		[ ! -f "$file" ] || { deb822 "$file" "$codename" "$suites"; deb822 "$file" "$codename-security" "$security"; }
	done > "$dir/sources/private.sources"
	[ -s "$dir/sources/private.list" ] || [ -s "$dir/sources/private.sources" ] ||
		die "apt is not configured for $codename main: no mirror to take from"
	apt+=(-o "Dir::State=$dir/state" -o "Dir::State::Status=$dir/status" -o "Dir::Cache=$dir/cache"
		-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$dir/sources"
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
		-o APT::Default-Release= -o Acquire::Languages=none)
	# A third party's repository has no such suites: what counts is what is found.
	apt-get -qq "${apt[@]}" update > "$dir/log" 2>&1 || :
}

# with_architecture ARCH: the options that make apt know its packages, too, as NAME:ARCH.
# They are for package lists of their own: the machine's are of its own architectures.
with_architecture() {
	apt+=(-o "APT::Architectures::=$(dpkg --print-architecture)" -o "APT::Architectures::=$1")
}

# foreign_apt DIR ARCH: the machine's suites, and the packages of ARCH next to its own. The
# lists and dpkg's status are in DIR. So nothing of the machine has to know ARCH.
foreign_apt() {
	local dir=$1
	mkdir -p "$dir"/{state/lists/partial,cache/archives/partial}
	: > "$dir/status"
	apt+=(-o "Dir::State=$dir/state" -o "Dir::State::Status=$dir/status" -o "Dir::Cache=$dir/cache"
		-o Acquire::Languages=none)
	with_architecture "$2"
	# as above
	apt-get -qq "${apt[@]}" update > "$dir/log" 2>&1 || :
}
