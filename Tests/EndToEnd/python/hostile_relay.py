"""A relay that writes markup wherever it may write: in its description, and as the reason for which it refuses.

    hostile_relay.py PORT
"""

import asyncio
import json
import sys

import websockets
from websockets.datastructures import Headers
from websockets.http11 import Response

MARKUP = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1><b>bold</b>\"'\u202e"


def describe(connection, request):
    if "application/nostr+json" not in request.headers.get("Accept", ""):
        return None
    words = {"name": MARKUP, "description": MARKUP, "software": MARKUP, "supported_nips": [1, 11], "version": MARKUP}
    body = json.dumps(words).encode()
    return Response(200, "OK", Headers({"Content-Type": "application/nostr+json", "Content-Length": str(len(body))}), body)


async def serve(socket):
    async for text in socket:
        message = json.loads(text)
        if message[0] == "EVENT":
            await socket.send(json.dumps(["OK", message[1]["id"], False, "invalid: " + MARKUP]))
            await socket.send(json.dumps(["NOTICE", MARKUP]))
        elif message[0] == "REQ":
            await socket.send(json.dumps(["CLOSED", message[1], "error: " + MARKUP]))


async def main():
    async with websockets.serve(serve, "127.0.0.1", int(sys.argv[1]), process_request=describe):
        print("ready", flush=True)
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
