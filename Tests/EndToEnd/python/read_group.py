#!/usr/bin/env python3
"""read_group.py LINK [--timeout S]: open a nostr:naddr1... link of a NIP-29 group as an anonymous reader.

stdout: one JSON line with what the relay signs of the group. Exit 0: metadata and admins are there, signed by the link's author.
"""
import argparse
import asyncio
import json
import sys

from nostr_sdk import Filter, Kind, Nip19Coordinate

from relay_reading import Unread, connected, is_genuine, log


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("link")
    parser.add_argument("--timeout", type=float, default=60.0)
    args = parser.parse_args()
    address = Nip19Coordinate.from_nostr_uri(args.link)
    coordinate = address.coordinate()
    urls = address.relays()
    query = Filter().kinds([Kind(39000), Kind(39001)]).identifier(coordinate.identifier()).author(coordinate.public_key())
    try:
        async with connected(urls[0], args.timeout) as fetch:
            events = await fetch(query)
    except Unread as error:
        log(error)
        events = []
    seen = {}
    for event in events:
        if is_genuine(event):
            seen[event.kind().as_u16()] = [tag.to_vec() for tag in event.tags()]
    tags = {tag[0]: tag[1:] for tag in seen.get(39000, [])}
    admins = [tag[1] for tag in seen.get(39001, []) if tag[0] == "p"]
    print(json.dumps({"kind": coordinate.kind().as_u16(), "id": coordinate.identifier(), "relays": len(urls),
                      "name": (tags.get("name") or [None])[0], "about": (tags.get("about") or [None])[0],
                      "admins": admins}), flush=True)
    return 0 if 39000 in seen and admins else 1


sys.exit(asyncio.run(main()))
