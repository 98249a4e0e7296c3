#!/usr/bin/env python3
"""delaying_proxy.py MILLISECONDS PORT...: what a distance does to a relay. Listens on a free port of the loopback for each PORT, prints
'PORT on OTHER', and passes everything on after half of the time, in both directions, so that an answer takes the whole of it."""
import asyncio
import sys


async def carry(reader, writer, delay):
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue()

    async def deliver():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if not data:
                break
            writer.write(data)
            await writer.drain()
        writer.close()

    delivery = asyncio.create_task(deliver())
    try:
        while data := await reader.read(1 << 16):
            queue.put_nowait((loop.time() + delay, data))
    except ConnectionError:
        pass
    queue.put_nowait((loop.time() + delay, b""))
    try:
        await delivery
    except ConnectionError:
        pass


async def main():
    delay, ports = float(sys.argv[1]) / 2000, [int(word) for word in sys.argv[2:]]
    servers = []
    for port in ports:
        async def connected(reader, writer, port=port):
            there, back = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(carry(reader, back, delay), carry(there, writer, delay))

        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        servers.append(server)
        print(f"{port} on {server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


asyncio.run(main())
