#!/usr/bin/env python3
"""varlink_client.py unix:/path INTERFACE METHOD [JSON] [--more] [--limit N] [--timeout S]

Prints GetInfo, the description, then one JSON line per reply. Exit 0 ok, 1 the service returned a varlink error,
2 transport trouble (no socket, closed, timeout), 3 the call does not fit the description (found on our side).
"""
import argparse
import json
import sys

import varlink


def connect(client, interface, timeout):
    """client.open() has no timeout of its own, so hand it a socket that has one."""
    sock = client.open_connection()
    sock.settimeout(timeout)
    return client.open(interface, connection=sock)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("interface")
    parser.add_argument("method")
    parser.add_argument("parameters", nargs="?", default="{}")
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--limit", type=int, default=0, help="stop a stream after N replies")
    parser.add_argument("--timeout", type=float, default=300.0)
    args = parser.parse_args()
    parameters = json.loads(args.parameters)
    client = varlink.Client.new_with_address(args.address)      # does not connect yet
    try:
        with connect(client, "org.varlink.service", args.timeout) as service:
            print("INFO", json.dumps(service.GetInfo()))
            text = service.GetInterfaceDescription(args.interface)["description"]
            print("DESCRIPTION", text)
        with connect(client, args.interface, args.timeout) as con:   # asks for the description again (once per client)
            if not hasattr(con, args.method):
                print(f"no method {args.method} in {args.interface}", file=sys.stderr)
                return 3
            call = getattr(con, args.method)
            if not args.more:
                print("REPLY", json.dumps(call(**parameters)), flush=True)
                return 0
            count = 0
            for reply in call(_more=True, **parameters):             # a generator; nothing is sent before the first next()
                print("REPLY", json.dumps(reply), flush=True)
                count += 1
                if args.limit and count >= args.limit:
                    break                                            # only good because the connection is closed right after
            return 0
    except varlink.VarlinkError as error:
        detail = error.parameters() or {}
        local = str(detail.get("parameter", "")).startswith(("client.call", "client.reply"))
        print("ERROR", json.dumps({"error": error.error(), "parameters": detail, "local": local}), flush=True)
        return 3 if local else 1
    except OSError as error:                # refused, ENOENT, socket timeout, BrokenPipeError("Disconnected"), varlink ConnectionError
        print("TRANSPORT", type(error).__name__, error, flush=True)
        return 2


if __name__ == "__main__":
    sys.exit(main())
