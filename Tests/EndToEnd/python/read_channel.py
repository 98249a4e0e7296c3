#!/usr/bin/env python3
"""read_channel.py LINK [--timeout S]: follow every relay hint of a nostr:nevent1... link as an anonymous reader.

stdout: exactly one JSON line. Exit 0: every hinted relay served the right event; 1: at least one did not;
2: the link is unusable (not a nevent, bad checksum, no relay hints).
"""
import argparse
import asyncio
import json
import sys

from nostr_sdk import Filter, Kind, Nip19Event, NostrSdkError

from relay_reading import Unread, connected, is_genuine, log


def decode(link):
    # from_nostr_uri insists on the scheme, from_bech32 refuses it: choose by prefix
    return Nip19Event.from_nostr_uri(link) if link.startswith("nostr:") else Nip19Event.from_bech32(link)


metadata = {}


async def read(url, wanted, seconds):
    try:
        async with connected(url, seconds) as fetch:
            return await check(fetch, url, wanted)
    except Unread as error:
        return None, str(error)


async def check(fetch, url, wanted):
    """The event, or None and what is wrong."""
    events = await fetch(Filter().id(wanted.event_id()).limit(1))
    if not events:
        return None, "relay answered without the event (or sent one that does not verify)"
    event = events[0]
    if event.id().to_hex() != wanted.event_id().to_hex():
        return None, "another event id came back"
    if not is_genuine(event):
        return None, "id or signature does not verify"
    if wanted.author() and event.author().to_hex() != wanted.author().to_hex():
        return None, "author differs from the link"
    if wanted.kind() and event.kind().as_u16() != wanted.kind().as_u16():
        return None, "kind differs from the link"
    # What readers show: the newest kind 41 of the channel's author.
    editions = await fetch(Filter().kind(Kind(41)).event(wanted.event_id()).author(event.author()))
    newest = max(editions, key=lambda e: e.created_at().as_secs(), default=None)
    metadata[url] = json.loads(newest.content()) if newest else None
    return event, None


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("link")
    parser.add_argument("--timeout", type=float, default=60.0)
    args = parser.parse_args()
    try:
        wanted = decode(args.link)
    except NostrSdkError as error:
        log(f"cannot decode the link: {error}")
        return 2
    urls = wanted.relays()
    results = await asyncio.gather(*(read(url, wanted, args.timeout) for url in urls))
    served, name, author, kind = {}, None, None, None
    for url, (event, why) in zip(urls, results):
        served[str(url)] = event is not None
        if event is None:
            log(f"{url}: {why}")
            continue
        author, kind = event.author().to_hex(), event.kind().as_u16()
        try:
            content = json.loads(event.content())
            name = content.get("name") if isinstance(content, dict) else None
        except ValueError:
            pass
    if author is None and wanted.author():
        author = wanted.author().to_hex()
    if kind is None and wanted.kind():
        kind = wanted.kind().as_u16()
    print(json.dumps({"id": wanted.event_id().to_hex(), "author": author, "kind": kind, "relays": served, "name": name,
                      "metadata": {str(url): shown for url, shown in metadata.items()}},
                     ensure_ascii=False), flush=True)
    if not urls:
        log("the link carries no relay hints")
        return 2
    return 0 if all(served.values()) else 1


sys.exit(asyncio.run(main()))
