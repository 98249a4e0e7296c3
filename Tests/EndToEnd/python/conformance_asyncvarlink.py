"""conformance_asyncvarlink.py SOCKET

What python's `asyncvarlink` sees of a running daemon, as the document that conformance_varlink.py prints. Its types come from these classes, not from
what the daemon says of itself.
"""

import asyncio
import collections.abc
import json
import sys
import typing

from asyncvarlink import GenericVarlinkErrorReply, VarlinkClientProtocol, VarlinkInterface, connect_unix_varlink, varlinkmethod
from asyncvarlink.serviceinterface import VarlinkServiceInterface

RELAY = "ws://127.0.0.1:9/asyncvarlink"


class Change(typing.TypedDict):
    revision: int
    time: str
    kind: str
    before: typing.NotRequired[typing.Any]
    after: typing.NotRequired[typing.Any]
    transition: typing.NotRequired[typing.Any]


class Page(typing.TypedDict):
    relays: list[typing.Any]
    nextCursor: typing.NotRequired[str | None]
    revision: int


class Relays(VarlinkInterface, name="org.batond.Relays"):
    @varlinkmethod(return_parameter="relay", allow_foreign=True)
    def Add(self, *, address: str, name: str | None = None, enabled: bool | None = None) -> dict[str, typing.Any]: ...

    @varlinkmethod(return_parameter="relay", allow_foreign=True)
    def Get(self, *, id: int | None = None, name: str | None = None) -> dict[str, typing.Any]: ...

    @varlinkmethod(allow_foreign=True)
    def List(self, *, limit: int | None = None) -> Page: ...


class Monitor(VarlinkInterface, name="org.batond.Monitor"):
    @varlinkmethod(allow_foreign=True)
    def Watch(self, *, since: int | None = None, kinds: list[str] | None = None) -> collections.abc.Iterator[Change]: ...


async def main():
    path = sys.argv[1]
    seen = {"descriptions": {}, "changes": []}
    transport, protocol = await connect_unix_varlink(VarlinkClientProtocol, path)
    service = protocol.make_proxy(VarlinkServiceInterface)
    seen["info"] = await service.GetInfo()
    # All at once: the library sends them one behind the other and sorts the answers by their order.
    names = seen["info"]["interfaces"]
    descriptions = await asyncio.gather(*(service.GetInterfaceDescription(interface=name) for name in names))
    seen["descriptions"] = {name: reply["description"] for name, reply in zip(names, descriptions)}
    relays = protocol.make_proxy(Relays)
    # Optional parameters that are not given are sent as null.
    seen["added"] = (await relays.Add(address=RELAY, name="asyncvarlink", enabled=False))["relay"]
    try:
        await relays.Get(id=4711, name=None)
    except GenericVarlinkErrorReply as error:
        seen["error"], seen["parameters"] = error.name, error.parameters
    seen["listed"] = [relay["name"] for relay in (await relays.List(limit=None))["relays"]]
    transport.close()
    transport, protocol = await connect_unix_varlink(VarlinkClientProtocol, path)
    async for change in protocol.make_proxy(Monitor).Watch(since=0, kinds=None):
        seen["changes"].append([change["revision"], change["kind"]])
        if len(seen["changes"]) == 3:
            break
    transport.close()
    print(json.dumps(seen))


asyncio.run(main())
