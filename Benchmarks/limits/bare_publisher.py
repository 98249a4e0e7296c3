#!/usr/bin/env python3
"""bare_publisher.py [--read-back] COUNT URL...: the limit for real relays. Signs COUNT channels, each with a key of its own and that
key's profile, and publishes both events of each to all relays, one event in flight per relay, without state or retry. With --read-back,
a second connection per relay fetches the channels by id, up to 64 in one request, and verifies them. Prints channels per second."""
import asyncio
import json
import sys
import time

import websockets
from nostr_sdk import Event, EventBuilder, Keys, Kind

BATCH = 64


async def publish(url, channels, taken):
    async with websockets.connect(url, proxy=None) as relay:
        for channel, events in channels:
            for event in events:
                await relay.send(event)
                while json.loads(await relay.recv())[0] != "OK":
                    pass
            taken.put_nowait(channel)
    taken.put_nowait(None)


async def read_back(url, taken):
    async with websockets.connect(url, proxy=None) as relay:
        is_over, number = False, 0
        while not is_over:
            wanted = [await taken.get()]
            while len(wanted) < BATCH and not taken.empty():
                wanted.append(taken.get_nowait())
            is_over = wanted[-1] is None
            wanted = set(wanted) - {None}
            number += 1
            await relay.send(json.dumps(["REQ", f"r{number}", {"ids": sorted(wanted)}]))
            while (message := json.loads(await relay.recv()))[0] != "EOSE":
                if message[0] == "EVENT" and Event.from_json(json.dumps(message[2])).verify():
                    wanted.discard(message[2]["id"])
            await relay.send(json.dumps(["CLOSE", f"r{number}"]))
            if wanted:
                sys.exit(f"{url} does not serve {len(wanted)} channels")


async def main():
    words = sys.argv[1:]
    reads = "--read-back" in words
    count, *urls = [word for word in words if word != "--read-back"]
    start = time.monotonic()
    channels = []
    for number in range(int(count)):
        keys = Keys.generate()
        name = f"Channel {number}"
        channel = EventBuilder(Kind(40), json.dumps({"name": name, "about": "", "picture": "", "relays": urls})).finalize(keys)
        profile = EventBuilder(Kind(0), json.dumps({"name": name, "about": "", "picture": ""})).finalize(keys)
        channels.append((channel.id().to_hex(), [f'["EVENT",{event.as_json()}]' for event in (channel, profile)]))
    queues = [asyncio.Queue() for _ in urls]
    tasks = [publish(url, channels, taken) for url, taken in zip(urls, queues)]
    if reads:
        tasks += [read_back(url, taken) for url, taken in zip(urls, queues)]
    await asyncio.gather(*tasks)
    print(f"{int(count) / (time.monotonic() - start):.1f}")


asyncio.run(main())
