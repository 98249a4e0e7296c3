#!/usr/bin/env python3
"""read_events.py RELAY_URL FILTER: the events of one relay that match a filter (NIP-01, as JSON), as an anonymous reader gets them.

stdout: exactly one JSON line {"relay","events":[...]}, newest first. Exit 0 when the relay answered, 1 when it did not, 2 for bad arguments.
"""
import argparse
import asyncio
import json
import sys

from nostr_sdk import Filter, NostrSdkError, RelayUrl

from relay_reading import Unread, connected, is_genuine, log


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("relay")
    parser.add_argument("filter")
    parser.add_argument("--timeout", type=float, default=60.0)
    args = parser.parse_args()
    try:
        url, query = RelayUrl.parse(args.relay), Filter.from_json(args.filter)
    except NostrSdkError as error:
        log(error)
        return 2
    try:
        async with connected(url, args.timeout) as fetch:
            events = await fetch(query)
    except Unread as error:
        log(error)
        return 1
    if not all(is_genuine(event) for event in events):
        log("an event does not verify")
        return 1
    events.sort(key=lambda event: (-event.created_at().as_secs(), event.id().to_hex()))
    print(json.dumps({"relay": str(url), "events": [json.loads(event.as_json()) for event in events]}, ensure_ascii=False), flush=True)
    return 0


sys.exit(asyncio.run(main()))
