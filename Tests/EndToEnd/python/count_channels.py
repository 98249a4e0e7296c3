#!/usr/bin/env python3
"""count_channels.py RELAY_URL OWNER [--page N]: every kind 40 event at one relay that OWNER signed, or that names OWNER in a p tag.

OWNER: 64 hex digits or npub1... . stdout: one JSON line {"relay","owner","count","complete","channels":[{"id","created_at","content"}...]},
oldest first. Relays cap a single answer (nostr-relay 6000, LocalRelay 500), so it pages backwards with `until`; "complete" is false
when a full page brought nothing new (more events than the cap within one second). Exit 0 when the relay answered (count may be 0), 1 when it did not, 2 for bad arguments.
"""
import argparse
import asyncio
import json
import sys

from nostr_sdk import Filter, Kind, NostrSdkError, PublicKey, RelayUrl, Timestamp

from relay_reading import Unread, connected, log


async def read_all(fetch, owner, limit):
    """The events by id, and whether these are all of them."""
    found, complete = {}, True
    for owned in (Filter().author(owner), Filter().pubkey(owner)):
        until, largest, known = None, 0, set()
        while True:
            query = owned.kind(Kind(40)).limit(limit)
            if until is not None:
                query = query.until(Timestamp.from_secs(until))
            page = await fetch(query)
            fresh = [e for e in page if e.id().to_hex() not in known]
            known.update(e.id().to_hex() for e in fresh)
            found.update((e.id().to_hex(), e) for e in fresh)
            largest = max(largest, len(page))
            if not fresh:
                complete = complete and (len(page) < largest or largest < 100)
                break
            until = min(e.created_at().as_secs() for e in page) + 1     # +1: nostr-relay treats `until` as exclusive
    return found, complete


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("relay")
    parser.add_argument("owner")
    parser.add_argument("--page", type=int, default=5000, help="limit of one REQ")
    parser.add_argument("--timeout", type=float, default=60.0)
    args = parser.parse_args()
    try:
        url, owner = RelayUrl.parse(args.relay), PublicKey.parse(args.owner)
    except NostrSdkError as error:
        log(error)
        return 2
    try:
        async with connected(url, args.timeout) as fetch:
            found, complete = await read_all(fetch, owner, args.page)
    except Unread as error:
        log(error)
        return 1
    events = sorted(found.values(), key=lambda e: (e.created_at().as_secs(), e.id().to_hex()))
    channels = [{"id": e.id().to_hex(), "created_at": e.created_at().as_secs(), "content": e.content()} for e in events]
    print(json.dumps({"relay": str(url), "owner": owner.to_hex(), "count": len(channels), "complete": complete,
                      "channels": channels},
                     ensure_ascii=False), flush=True)
    return 0


sys.exit(asyncio.run(main()))
