"""conformance_varlink.py SOCKET

What python's `varlink` sees of a running daemon, as one JSON document: `info`, `descriptions` by interface, `added` (a relay, by a typed call),
`changes` (the first replies of a stream), and `error` with its `parameters`.
"""

import json
import sys

import varlink

RELAY = "ws://127.0.0.1:9/varlink"

client = varlink.Client.new_with_address("unix:" + sys.argv[1])
seen = {"descriptions": {}, "changes": []}
with client.open("org.varlink.service") as service:
    seen["info"] = service.GetInfo()
    for name in seen["info"]["interfaces"]:
        seen["descriptions"][name] = service.GetInterfaceDescription(name)["description"]
with client.open("org.batond.Relays") as relays:
    seen["added"] = relays.Add(address=RELAY, name="varlink", enabled=False)["relay"]
    try:
        relays.Get(id=4711)
    except varlink.VarlinkError as error:
        seen["error"], seen["parameters"] = error.error(), error.parameters()
    # The connection lives on after an error.
    seen["listed"] = [relay["name"] for relay in relays.List()["relays"]]
with client.open("org.batond.Monitor") as monitor:
    for change in monitor.Watch(_more=True, since=0):
        seen["changes"].append([change["revision"], change["kind"]])
        if len(seen["changes"]) == 3:
            break
print(json.dumps(seen))
