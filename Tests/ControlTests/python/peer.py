"""peer.py SOCKET UID GID GROUPS CALL...

Becomes the user with these groups (numbers, separated by commas), makes the calls on one connection, and prints the last reply to each
as one line.
"""

import json
import os
import socket
import sys

path, uid, gid, groups, *calls = sys.argv[1:]
os.setgroups([int(group) for group in groups.split(",") if group])
os.setresgid(int(gid), int(gid), int(gid))
os.setresuid(int(uid), int(uid), int(uid))
with socket.socket(socket.AF_UNIX) as connection:
    connection.settimeout(300)
    connection.connect(path)
    connection.sendall(b"".join(call.encode() + b"\0" for call in calls))
    data = b""
    for _ in calls:
        reply = {"continues": True}
        while reply.get("continues"):
            while b"\0" not in data:
                chunk = connection.recv(65536)
                if not chunk:
                    sys.exit("the server closed the connection")
                data += chunk
            message, _, data = data.partition(b"\0")
            reply = json.loads(message)
        print(json.dumps(reply), flush=True)
