#!/usr/bin/env python3
"""bare_publisher.py COUNT URL...: the limit for real relays. Signs COUNT channels and publishes each to all relays, one event in
flight per relay, without state, retry or read-back. Prints channels per second."""
import asyncio
import json
import sys
import time

import websockets
from nostr_sdk import EventBuilder, Keys, Kind


async def publish(url, events):
    async with websockets.connect(url, proxy=None) as relay:
        for event in events:
            await relay.send(event)
            while json.loads(await relay.recv())[0] != "OK":
                pass


async def main():
    count, urls = int(sys.argv[1]), sys.argv[2:]
    keys = Keys.generate()
    start = time.monotonic()
    events = []
    for number in range(count):
        content = json.dumps({"name": f"Channel {number}", "about": "", "picture": "", "relays": urls})
        event = EventBuilder(Kind(40), content).finalize(keys)
        events.append(f'["EVENT",{event.as_json()}]')
    await asyncio.gather(*(publish(url, events) for url in urls))
    print(f"{count / (time.monotonic() - start):.1f}")


asyncio.run(main())
