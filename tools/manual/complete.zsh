# SPDX-License-Identifier: GPL-2.0
# The functions that complete tlob-load. Above are the tables, from the tool's help.

_tlob_load_text() { _message 'a value' }
_tlob_load_file() { _files }
_tlob_load_dir() { _files -/ }
_tlob_load_program() { _alternative 'commands:command:_command_names -e' 'files:file:_files' }
_tlob_load_pid() { _pids }

# "fifo:" and "spin:" go on
_tlob_load_words() { compadd -S '' -- $@ }

_tlob_load_cpus()
{
	local online range cpu
	local -a list
	read -r online < ${TLOB_SYS_CPU:-/sys/devices/system/cpu}/online
	for range in ${(s:,:)online}; do
		list+=({${range%-*}..${range#*-}})
	done
	compset -P '*[,-]' || list+=($online all)
	compadd -S '' -- $list
}

_tlob_load_kernel()
{
	local -a list
	list=(6.1 6.12 6.12-rt ${TLOB_TREE:-.}/build/kernels/*(N/:t))
	compadd -- ${(u)list}
}

_tlob_load_event()
{
	local root=/sys/kernel/tracing/events
	local -a list
	if compset -P 1 '*:'; then
		list=($root/${IPREFIX%:}/*(N/:t))
		compadd -- $list
	else
		list=($root/*(N/:t))
		compadd -S '' -- $list
	fi
}

# The functions of the file that attach would look in.
_tlob_load_symbol()
{
	local i word library program pid file
	local -a list
	for ((i = 2; i < CURRENT; i++)); do
		word=$words[i]
		case $word in
		--) break ;;
		-l|--library) library=$words[++i] ;;
		--library=*) library=${word#*=} ;;
		-p|--pid) pid=$words[++i] ;;
		--pid=*) pid=${word#*=} ;;
		-b|-d|--budget|--duration|--json|--assert|--start|--stop) ((++i)) ;;
		-*) ;;
		*) program=${program:-$word} ;;
		esac
	done
	file=${library:-${program:-${pid:+/proc/$pid/exe}}}
	[[ -n $file ]] || { _message 'a function: name the program first'; return }
	[[ -e $file ]] || file=$(whence -p -- $file) || return
	list=(${(f)"$({ nm --defined-only $file; nm -D --defined-only $file } 2> /dev/null |
		awk '$2 ~ /^[tTwW]$/ { sub(/@.*/, "", $3); print $3 }' | sort -u)"})
	compadd -S '' -- $list
}

_tlob_load()
{
	local command=$words[2] behind
	local -i at
	if ((CURRENT == 2)); then
		_describe -t commands command _tlob_load_commands
		return
	fi
	at=${words[(i)--]}
	behind=$(_tlob_load_behind $command)
	if [[ -n $behind ]] && ((at < CURRENT)); then
		command=$behind
		words=(tlob-load "${(@)words[at+1,-1]}")
		((CURRENT -= at - 1))
	else
		words=(tlob-load "${(@)words[3,-1]}")
		((--CURRENT))
	fi
	if [[ $command == help ]]; then
		_describe -t commands command _tlob_load_commands
	else
		_tlob_load_options $command
	fi
}

_tlob_load "$@"
