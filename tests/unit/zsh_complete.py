#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Prints what zsh shows for a line and two tabs: zsh_complete.py FUNCTIONS LINE."""

import os
import pty
import re
import select
import shlex
import sys

PATIENCE = 600  # seconds until the expected text must have come


def main(functions, line):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", COLUMNS="80", LINES="50")
        os.execvp("zsh", ["zsh", "-f", "-i"])

    def wait_for(text):
        seen = ""
        while text not in seen:
            if not select.select([fd], [], [], PATIENCE)[0]:
                sys.exit("zsh does not answer: " + seen)
            seen += os.read(fd, 65536).decode(errors="replace")
        return seen

    def say(text):
        os.write(fd, text.encode())

    # "x''y" is shown as it is typed, and printed as "xy".
    say("PROMPT=; LISTMAX=1000; fpath=(%s $fpath); autoload -Uz compinit; "
        "compinit -u -D; done_() { print rea''dy }; zle -N done_; "
        "bindkey '^X' done_; print st''arted\n" % shlex.quote(functions))
    wait_for("started")
    say(line + "\t\t\x18")
    seen = wait_for("ready")
    print(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", seen))
    say("\x15exit\n")
    os.waitpid(pid, 0)


main(*sys.argv[1:])
