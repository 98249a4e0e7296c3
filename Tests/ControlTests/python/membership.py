"""membership.py SOCKET UID GROUP CALL

Takes the user and, outside every group, opens a connection; joins the group and opens another; leaves it and opens a third. Makes the
call on each as soon as it is open, and again on those from before after every change. Prints one line for each call: which connection,
when, and the reply. Only the groups of this process change, not those of the machine.
"""

import json
import os
import socket
import sys

path, uid, group, call = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]


def become(groups):
    """The kernel tells others the effective user; the saved one is what allows to change groups."""
    os.seteuid(0)
    os.setgroups(groups)
    os.setegid(uid)
    os.seteuid(uid)


def connected():
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(300)
    connection.connect(path)
    return connection


def ask(connection):
    connection.sendall(call.encode() + b"\0")
    data = b""
    while not data.endswith(b"\0"):
        chunk = connection.recv(65536)
        if not chunk:
            sys.exit("the server closed the connection")
        data += chunk
    return json.dumps(json.loads(data[:-1]))


connections = {}
for moment, groups in (("outside", []), ("inside", [group]), ("afterwards", [])):
    become(groups)
    connections[moment] = connected()
    for name, connection in connections.items():
        print(name, moment, ask(connection), flush=True)
