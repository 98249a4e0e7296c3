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
from datetime import timedelta

from nostr_sdk import ClientBuilder, Filter, Kind, NostrSdkError, PublicKey, RelayUrl, ReqTarget, Timestamp


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
        print(error, file=sys.stderr)
        return 2
    client = ClientBuilder().build()
    try:
        await client.add_relay(url)
        tried = await client.try_connect(timedelta(seconds=args.timeout))
        if tried.failed:
            print(f"connect: {list(tried.failed.values())[0]}", file=sys.stderr)
            return 1
        found, complete = {}, True
        for owned in (Filter().author(owner), Filter().pubkey(owner)):
            until, largest, known = None, 0, set()
            while True:
                query = owned.kind(Kind(40)).limit(args.page)
                if until is not None:
                    query = query.until(Timestamp.from_secs(until))
                page = await client.fetch_events(ReqTarget.single(url, [query]), timedelta(seconds=args.timeout))
                fresh = [e for e in page if e.id().to_hex() not in known]
                known.update(e.id().to_hex() for e in fresh)
                found.update((e.id().to_hex(), e) for e in fresh)
                largest = max(largest, len(page))
                if not fresh:
                    complete = complete and (len(page) < largest or largest < 100)
                    break
                until = min(e.created_at().as_secs() for e in page) + 1     # +1: nostr-relay treats `until` as exclusive
    except NostrSdkError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    finally:
        await client.shutdown()
    events = sorted(found.values(), key=lambda e: (e.created_at().as_secs(), e.id().to_hex()))
    channels = [{"id": e.id().to_hex(), "created_at": e.created_at().as_secs(), "content": e.content()} for e in events]
    print(json.dumps({"relay": str(url), "owner": owner.to_hex(), "count": len(channels), "complete": complete,
                      "channels": channels},
                     ensure_ascii=False), flush=True)
    return 0


sys.exit(asyncio.run(main()))
