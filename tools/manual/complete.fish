# SPDX-License-Identifier: GPL-2.0
# The functions that complete tlob-load. Above are the tables, from the tool's help.

# Whether the command on the line is $argv[1]; "": none yet. Behind -- fish offers no options.
function __tlob_load_in
    set -l line (commandline -opc)
    set -q line[2]; or set line[2] ''
    test "$line[2]" = "$argv[1]"
end

function __tlob_load_text
end

function __tlob_load_words
    printf '%s\n' $argv
end

function __tlob_load_dir
    __fish_complete_directories (commandline -ct)
end

function __tlob_load_program
    __fish_complete_command
end

function __tlob_load_pid
    __fish_complete_pids
end

function __tlob_load_cpus
    set -l file /sys/devices/system/cpu
    set -q TLOB_SYS_CPU; and set file $TLOB_SYS_CPU
    read -l online < $file/online
    set -l token (commandline -ct)
    set -l head (string match -r '^(?:--[^=]*=)?(.*[,-])' -- $token)[2]
    for range in (string split , $online)
        for cpu in (seq (string split - $range)[1] (string split - $range)[-1])
            echo $head$cpu
        end
    end
    test -n "$head"; or printf '%s\n' $online all
end

function __tlob_load_kernel
    set -l tree .
    set -q TLOB_TREE; and set tree $TLOB_TREE
    printf '%s\n' 6.1 6.12 6.12-rt
    for dir in $tree/build/kernels/*/
        basename $dir
    end
end

function __tlob_load_event
    for dir in /sys/kernel/tracing/events/*/
        basename $dir
    end
end

# The functions of the file that attach would look in: the library, the program or the process.
function __tlob_load_symbol
    set -l line (commandline -opc)
    set -l library
    set -l program
    set -l pid
    set -l i 3
    while test $i -le (count $line)
        switch $line[$i]
            case --
                break
            case -l --library
                set i (math $i + 1)
                set library $line[$i]
            case -p --pid
                set i (math $i + 1)
                set pid /proc/$line[$i]/exe
            case -b -d --budget --duration --json --assert --start --stop
                set i (math $i + 1)
            case '-*'
            case '*'
                set -q program[1]; or set program $line[$i]
        end
        set i (math $i + 1)
    end
    set -l file $library $program $pid
    set -q file[1]; or return
    test -e $file[1]; or set file[1] (command -v $file[1]); or return
    begin
        nm --defined-only $file[1]
        nm -D --defined-only $file[1]
    end 2>/dev/null | awk '$2 ~ /^[tTwW]$/ { sub(/@.*/, "", $3); print $3 }' | sort -u
end
