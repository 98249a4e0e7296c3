"""in_terminal.py COLUMNS COMMAND...

Runs the command in a terminal of so many columns and prints what it shows there. Exits as the command does.
"""

import fcntl
import os
import pty
import struct
import sys
import termios

columns, command = int(sys.argv[1]), sys.argv[2:]
# Tall, so that nothing scrolls away.
size = struct.pack("HHHH", 200, columns, 0, 0)

child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, size)
    os.execv(command[0], command)

shown = b""
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:
        # The command, which had the other end, is gone.
        break
    if not part:
        break
    shown += part
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
