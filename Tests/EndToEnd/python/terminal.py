"""Runs a program on a terminal of its own and prints what the terminal is sent.

terminal.py ROWSxCOLUMNS[,ROWSxCOLUMNS] PROGRAM [ARGUMENT...]

SIGINT presses Ctrl-C; SIGUSR1 gives the terminal its second size. The exit status is the program's, 128 and the number after a signal.
"""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios

sizes = [tuple(map(int, size.split("x"))) for size in sys.argv[1].split(",")]
master, slave = pty.openpty()


def resize(rows, columns):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def own_terminal():
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


resize(*sizes[0])
signal.signal(signal.SIGINT, lambda *_: os.write(master, b"\x03"))
signal.signal(signal.SIGUSR1, lambda *_: resize(*sizes[-1]))
environment = {"TERM": "xterm", **os.environ}
child = subprocess.Popen(
    sys.argv[2:], stdin=slave, stdout=slave, stderr=slave, start_new_session=True, preexec_fn=own_terminal, env=environment
)
os.close(slave)
while True:
    try:
        data = os.read(master, 65536)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
status = child.wait()
sys.exit(status if status >= 0 else 128 - status)
