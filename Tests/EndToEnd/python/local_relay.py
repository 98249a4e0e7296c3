#!/usr/bin/env python3
"""local_relay.py PORT [--auth read|write|both] [--rate NOTES_PER_MINUTE] [--db DIR]: rust-nostr LocalRelay as a process.

Prints "ready ws://127.0.0.1:PORT" (flushed) when the port accepts connections; exit 0 on SIGTERM/SIGINT, 1 if it cannot start.
Without --db everything is in memory and gone at exit.
"""
import argparse
import asyncio
import signal
import sys

from nostr_sdk import (LocalRelayBuilder, LocalRelayBuilderNip42, LocalRelayBuilderNip42Mode, NostrLmdb, NostrSdkError,
                       RateLimit, uniffi_set_event_loop)

MODES = {"read": LocalRelayBuilderNip42Mode.READ, "write": LocalRelayBuilderNip42Mode.WRITE,
         "both": LocalRelayBuilderNip42Mode.BOTH}


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--auth", choices=MODES)
    parser.add_argument("--rate", type=int, default=1_000_000, help="notes per minute on one connection (library default 60)")
    parser.add_argument("--reqs", type=int, default=500, help="subscriptions on one connection")
    parser.add_argument("--db", help="LMDB directory, survives a restart")
    args = parser.parse_args()
    loop = asyncio.get_running_loop()
    uniffi_set_event_loop(loop)                 # needed by every object of python that rust calls back (database, policies)
    builder = (LocalRelayBuilder().addr("127.0.0.1").port(args.port)
               .rate_limit(RateLimit(max_reqs=args.reqs, notes_per_minute=args.rate)))
    if args.auth:
        builder = builder.nip42(LocalRelayBuilderNip42(mode=MODES[args.auth]))
    try:
        if args.db:
            builder = builder.database(await NostrLmdb.open(args.db))
        relay = builder.build()
        await relay.run()                       # returns as soon as it listens; the relay lives in rust threads
    except NostrSdkError as error:
        print(f"cannot start: {error}", file=sys.stderr, flush=True)
        return 1
    print(f"ready {await relay.url()}", flush=True)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
    relay.shutdown()                            # not a coroutine, unlike run() and url()
    return 0


sys.exit(asyncio.run(main()))
