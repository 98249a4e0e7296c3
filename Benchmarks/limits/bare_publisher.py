#!/usr/bin/env python3
"""bare_publisher.py [--posts] [--read-back] COUNT URL...: the limit for real relays. Signs COUNT channels, each with a key of its own and
that key's profile, and publishes both events of each to all relays, one event in flight per relay, without state or retry. With --posts
it signs COUNT posts instead, an event each, by the keys of 16 channels. With --read-back, a second connection per relay fetches the
channels or posts by id, up to 64 in one request, and verifies them. Prints channels or posts per second."""
import asyncio
import json
import sys
import time

import websockets
from nostr_sdk import Event, EventBuilder, Keys, Kind, Tag

BATCH = 64
POSTING = 16


async def publish(url, items, taken):
    async with websockets.connect(url, proxy=None) as relay:
        for item, events in items:
            for event in events:
                await relay.send(event)
                while json.loads(await relay.recv())[0] != "OK":
                    pass
            taken.put_nowait(item)
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
                sys.exit(f"{url} does not serve {len(wanted)} of them")


def channels(count, urls):
    for number in range(count):
        keys = Keys.generate()
        name = f"Channel {number}"
        channel = EventBuilder(Kind(40), json.dumps({"name": name, "about": "", "picture": "", "relays": urls})).finalize(keys)
        profile = EventBuilder(Kind(0), json.dumps({"name": name, "about": "", "picture": ""})).finalize(keys)
        yield channel, [channel, profile]


def posts(count, urls):
    # Relays take posts of channels that they do not have.
    keys = [Keys.generate() for _ in range(POSTING)]
    roots = [Tag.parse(["e", f"{number:064x}", urls[0], "root"]) for number in range(1, POSTING + 1)]
    for number in range(count):
        text = f"Post {number}: " + "what there is to say about it, in a hundred and some characters, as most posts are. " * 2
        post = EventBuilder(Kind(42), text[:140]).tags([roots[number % POSTING]]).finalize(keys[number % POSTING])
        yield post, [post]


async def main():
    words = sys.argv[1:]
    count, *urls = [word for word in words if not word.startswith("--")]
    start = time.monotonic()
    made = (posts if "--posts" in words else channels)(int(count), urls)
    items = [(first.id().to_hex(), [f'["EVENT",{event.as_json()}]' for event in events]) for first, events in made]
    queues = [asyncio.Queue() for _ in urls]
    tasks = [publish(url, items, taken) for url, taken in zip(urls, queues)]
    if "--read-back" in words:
        tasks += [read_back(url, taken) for url, taken in zip(urls, queues)]
    await asyncio.gather(*tasks)
    print(f"{int(count) / (time.monotonic() - start):.1f}")


asyncio.run(main())
