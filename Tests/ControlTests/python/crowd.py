"""crowd.py SOCKET COUNT

Connects as COUNT different users, one connection each, sends the beginning of a long message on each, prints how many connections the
server keeps, and holds them until it is killed.
"""

import os
import signal
import socket
import sys

path, count = sys.argv[1], int(sys.argv[2])
os.setgroups([])
kept = []
for uid in range(50_000, 50_000 + count):
    connection = socket.socket(socket.AF_UNIX)
    os.setegid(uid)
    os.seteuid(uid)
    try:
        connection.connect(path)
    finally:
        os.seteuid(0)
        os.setegid(0)
    connection.settimeout(300)
    try:
        connection.sendall(b'{"method":"org.varlink.service.GetInfo"}\0')
        if b'"product"' in connection.recv(65536):
            connection.sendall(b'{"method":"' + b"x" * 1000)
            kept.append(connection)
    except OSError:
        pass
print(f"kept {len(kept)}", flush=True)
signal.pause()
