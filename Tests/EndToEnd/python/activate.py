"""activate.py KIND SOCKET COMMAND...

Starts the command with descriptors from 3 on, as a service manager or a Varlink client does. KIND is
  listening   one socket that listens at SOCKET, named varlink
  unnamed     the same under another name
  second      a pipe named other, then a socket that listens at SOCKET, named varlink
  foreign     a socket that listens at SOCKET, meant for another process
  connected   one end of a connection; calls Ping at the other, prints the reply, closes it, prints the exit status
"""

import os
import socket
import sys

kind, path, *command = sys.argv[1:]


def become(descriptors, names, pid):
    """Turns this process into the command. Descriptors are moved out of the way first."""
    high = [os.dup2(descriptor, 100 + index) for index, descriptor in enumerate(descriptors)]
    for index, descriptor in enumerate(high):
        os.dup2(descriptor, 3 + index, inheritable=True)
        os.close(descriptor)
    os.environ.update(LISTEN_FDS=str(len(high)), LISTEN_FDNAMES=":".join(names), LISTEN_PID=str(pid))
    os.execv(command[0], command)


def listener():
    made = socket.socket(socket.AF_UNIX)
    made.bind(path)
    made.listen()
    return made.detach()


if kind == "connected":
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        become([theirs.detach()], ["varlink"], os.getpid())
    theirs.close()
    ours.settimeout(300)
    ours.sendall(b'{"method":"io.systemd.service.Ping"}\0')
    reply = b""
    while not reply.endswith(b"\0"):
        reply += ours.recv(4096) or sys.exit("no reply")
    print("REPLY", reply[:-1].decode(), flush=True)
    ours.close()
    print("STATUS", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
elif kind == "second":
    become([os.pipe()[0], listener()], ["other", "varlink"], os.getpid())
elif kind == "foreign":
    become([listener()], ["varlink"], 1)
else:
    become([listener()], ["varlink" if kind == "listening" else "other"], os.getpid())
