#!/usr/bin/env python3
"""read_events.py RELAY_URL FILTER: the events of one relay that match a filter (NIP-01, as JSON), as an anonymous reader gets them.

stdout: exactly one JSON line {"relay","events":[...]}, newest first. Exit 0 when the relay answered, 1 when it did not, 2 for bad arguments.
"""
import argparse
import asyncio
import json
import sys
from datetime import timedelta

from nostr_sdk import ClientBuilder, Filter, NostrSdkError, RelayUrl, ReqTarget


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("relay")
    parser.add_argument("filter")
    parser.add_argument("--timeout", type=float, default=60.0)
    args = parser.parse_args()
    try:
        url, query = RelayUrl.parse(args.relay), Filter.from_json(args.filter)
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
        events = list(await client.fetch_events(ReqTarget.single(url, [query]), timedelta(seconds=args.timeout)))
    except NostrSdkError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    finally:
        await client.shutdown()
    if not all(event.verify_id() and event.verify_signature() for event in events):
        print("an event does not verify", file=sys.stderr)
        return 1
    events.sort(key=lambda event: (-event.created_at().as_secs(), event.id().to_hex()))
    print(json.dumps({"relay": str(url), "events": [json.loads(event.as_json()) for event in events]}, ensure_ascii=False), flush=True)
    return 0


sys.exit(asyncio.run(main()))
