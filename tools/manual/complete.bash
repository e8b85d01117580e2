# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The functions that complete tlob-load. Above are the tables, from the tool's help.
# shellcheck disable=SC2154	# _tlob_load_commands is one of them

# The line is $_tlob_load_line, without the options before its command.

# The online CPUs, as the end of a list that began with CUR: 0,2-
_tlob_load_cpus()
{
	local online range first last cpu list='' head=''

	read -r online < "${TLOB_SYS_CPU:-/sys/devices/system/cpu}/online" 2> /dev/null || return
	for range in ${online//,/ }; do
		first=${range%-*} last=${range#*-}
		for ((cpu = first; cpu <= last; cpu++)); do list+=" $cpu"; done
	done
	case $1 in
	*[,-]*) head=${1%"${1##*[,-]}"} ;;
	*)      list+=" $online all" ;;
	esac
	for cpu in $list; do echo "$head$cpu"; done
}

# Kernels of the lab: those that scripts/fetch-kernel knows, and what it has fetched.
_tlob_load_kernels()
{
	local dir

	printf '%s\n' 6.1 6.12 6.12-rt
	for dir in "${TLOB_TREE:-.}"/build/kernels/*/; do
		[ ! -d "$dir" ] || basename "$dir"
	done
}

# The functions of the file that attach would look in.
_tlob_load_symbols()
{
	local i word library='' program='' pid='' file

	for ((i = 0; i < ${#_tlob_load_line[@]}; i++)); do
		word=${_tlob_load_line[i]}
		case $word in
		--) break ;;
		-l|--library) library=${_tlob_load_line[++i]-} ;;
		-p|--pid) pid=${_tlob_load_line[++i]-} ;;
		-*) case $(_tlob_load_kind "attach:$word") in ?*) ((++i)) ;; esac ;;
		*) program=${program:-$word} ;;
		esac
	done
	file=${library:-${program:-${pid:+/proc/$pid/exe}}}
	[ -n "$file" ] || return
	[ -e "$file" ] || file=$(type -P "$file") || return
	{ nm --defined-only "$file"; nm -D --defined-only "$file"; } 2> /dev/null |
		awk '$2 ~ /^[tTwW]$/ { sub(/@.*/, "", $3); print $3 }' | sort -u
}

_tlob_load_systems()
{
	local dir

	for dir in /sys/kernel/tracing/events/*/; do
		[ ! -d "$dir" ] || basename "$dir"
	done
}

_tlob_load_pids()
{
	local dir

	for dir in /proc/[0-9]*; do echo "${dir#/proc/}"; done
}

# Fills COMPREPLY with what begins as CUR does, for an argument of KIND [WORDS].
_tlob_load_offer()
{
	local cur=$1 kind=$2 words=${3-} word IFS=$' \t\n'

	case $kind in
	words)   words=${words//\'/} ;;
	cpus)    words=$(_tlob_load_cpus "$cur") ;;
	kernel)  words=$(_tlob_load_kernels) ;;
	symbol)  words=$(_tlob_load_symbols) ;;
	event)   words=$(_tlob_load_systems) ;;
	pid)     words=$(_tlob_load_pids) ;;
	file)    mapfile -t COMPREPLY < <(compgen -f -- "$cur"); compopt -o filenames 2> /dev/null; return ;;
	dir)     mapfile -t COMPREPLY < <(compgen -d -- "$cur"); compopt -o filenames 2> /dev/null; return ;;
	program) mapfile -t COMPREPLY < <(compgen -c -f -- "$cur" | sort -u); return ;;
	*)       return ;;
	esac
	# not by compgen -W, which executes the $(...) in the name of a function or a directory
	read -rd '' -a words <<< "$words"
	for word in "${words[@]}"; do
		case $kind in kernel|symbol|event) printf -v word %q "$word" ;; esac
		[[ $word != "$cur"* ]] || COMPREPLY+=("$word")
	done
	# "spin:" and "0," go on
	case ${COMPREPLY[*]} in *[:=]|[0-9]*) compopt -o nospace 2> /dev/null ;; esac
}

_tlob_load()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} kind words i

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "$_tlob_load_commands --help --version" -- "$cur")
		return
	fi
	if [ "$command" = help ]; then
		mapfile -t COMPREPLY < <(compgen -W "${_tlob_load_commands#help version }" -- "$cur")
		return
	fi
	_tlob_load_line=("${COMP_WORDS[@]:2:COMP_CWORD - 2}")
	for i in "${_tlob_load_line[@]}"; do
		# what follows -- is another command's, or a result of compare
		[ "$i" = -- ] || continue
		[ "$command" != attach ] || { mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return; }
		kind=$(_tlob_load_behind "$command")
		command=${kind:-$command}
	done
	# readline splits --option=value at the =
	if [ "$cur" = = ]; then
		cur=''
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	# only --help=all has a value
	case $prev,${COMP_WORDS[*]:COMP_CWORD - 1:2} in
	--help,*=*) COMPREPLY=(all); return ;;
	esac
	read -r kind words <<< "$(_tlob_load_kind "$command:$prev")"
	case $kind,$cur in
	,-*) mapfile -t COMPREPLY < <(compgen -W "$(_tlob_load_options "$command")" -- "$cur") ;;
	,*)  _tlob_load_offer "$cur" "$(_tlob_load_kind "$command:")" ;;
	*)   _tlob_load_offer "$cur" "$kind" "$words" ;;
	esac
}

complete -F _tlob_load tlob-load
