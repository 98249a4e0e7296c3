#!/usr/bin/env python3
"""monstr_relay.py PORT: the relay of monstr as a process. It takes deletions, and serves what they name all the same.

Prints "ready ws://127.0.0.1:PORT" (flushed) when the port accepts connections; exit 0 on SIGTERM/SIGINT. Everything is in memory and
gone at exit.
"""
import argparse
import asyncio
import signal
import sys

from monstr.event.persist_memory import RelayMemoryEventStore
from monstr.relay.relay import Relay


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    args = parser.parse_args()
    relay = Relay(store=RelayMemoryEventStore(), max_sub=500)
    await relay.start(host="127.0.0.1", port=args.port, block=False)
    print(f"ready ws://127.0.0.1:{args.port}", flush=True)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
    await relay.end_background()
    return 0


sys.exit(asyncio.run(main()))
