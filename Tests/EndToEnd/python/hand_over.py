"""hand_over.py NAME=WHERE... -- COMMAND...

Starts the command with sockets that listen, as systemd does. WHERE is the path of a Unix socket, or ADDRESS:PORT.
"""

import os
import socket
import sys

end = sys.argv.index("--")
names, descriptors = [], []
for place in sys.argv[1:end]:
    name, where = place.split("=", 1)
    if where.startswith("/"):
        made = socket.socket(socket.AF_UNIX)
        made.bind(where)
    else:
        address, port = where.rsplit(":", 1)
        made = socket.socket(socket.AF_INET)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, int(port)))
    made.listen()
    names.append(name)
    descriptors.append(os.dup2(made.detach(), 100 + len(names)))
for index, descriptor in enumerate(descriptors):
    os.dup2(descriptor, 3 + index, inheritable=True)
    os.close(descriptor)
os.environ.update(LISTEN_FDS=str(len(names)), LISTEN_FDNAMES=":".join(names), LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[end + 1], sys.argv[end + 1 :])
