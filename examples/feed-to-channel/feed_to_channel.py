#!/usr/bin/env python3
"""Publishes the items of an RSS or Atom feed as posts of a channel, each item once, however often this runs."""
import argparse
import hashlib
import html
import json
import os
import re
import socket
import sys
import urllib.request
import xml.etree.ElementTree as tree
import zlib
from xml.parsers import expat

FEED_BYTES_MAX = 10_000_000


def call(connection, method, **parameters):
    """Calls a method. Returns the parameters of the reply, and the error's name without its interface, or ""."""
    connection.sendall(json.dumps({"method": method, "parameters": parameters}).encode() + b"\0")
    reply = bytearray()
    while not reply.endswith(b"\0"):
        reply += connection.recv(65536) or sys.exit("the daemon closed the connection; run this again")
    reply = json.loads(reply[:-1])
    return reply.get("parameters", {}), reply.get("error", "").rpartition(".")[2]


def unpacked(data):
    """The feed itself: some servers compress it whether they are asked to or not. No more is unpacked than may be read."""
    return zlib.decompressobj(31).decompress(data, FEED_BYTES_MAX + 1) if data.startswith(b"\x1f\x8b") else data


def plain(markup):
    """What readers see of a title in HTML."""
    return html.unescape(re.sub(r"</?[A-Za-z][^<>]*>|<!--.*?-->", "", re.sub(r"(?i)<(br|/p|/div|/li)\b[^<>]*>", " ", markup)))


def items(data):
    """The identifier and text of each item, oldest first if the feed has the newest first."""
    checker = expat.ParserCreate()
    checker.StartDoctypeDeclHandler = lambda *_: sys.exit("the feed has a document type (DOCTYPE), which may expand without end")
    checker.Parse(data, True)
    for item in reversed([part for part in tree.fromstring(data).iter() if part.tag.rpartition("}")[2] in ("item", "entry")]):
        fields, (space, _, kind) = {}, item.tag.rpartition("}")
        # Parts of other vocabularies, such as media:title, may be about something else.
        for part in [part for part in item if part.tag.rpartition("}")[0] == space]:
            name, value = part.tag.rpartition("}")[2], "".join(part.itertext())
            if name == "title" and (kind == "item" or part.get("type") == "html"):
                value = plain(value)
            value = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", value).split())
            if name != "link" or part.get("rel", "alternate") == "alternate":
                fields.setdefault(name, value or part.get("href", ""))
        link, title = fields.get("link", "")[:2000], fields.get("title", "")[:2000]
        identifier = fields.get("guid") or fields.get("id") or link or title
        if title or link:
            yield identifier, "\n\n".join(part for part in (title, link) if part)


def publish(connection, channel, feed, found):
    """Publishes what is new. Returns the exit status: 1 if an item was refused, 75 if the daemon cannot take any now."""
    status = 0
    for identifier, text in found:
        key = "feed:" + hashlib.sha256(json.dumps([channel, feed, identifier]).encode()).hexdigest()
        reply, error = call(connection, "org.batond.Posts.Publish", channelId=channel, text=text, idempotencyKey=key)
        if not error and reply["isNew"]:
            print(f"post {reply['post']['id']}: {text.splitlines()[0]}", flush=True)
        # A key that was used before belongs to an item that was edited since, or whose post was deleted.
        if error and error != "IdempotencyKeyReused":
            print(f"{identifier}: {error} {reply}", file=sys.stderr)
            status = 75 if error in ("Busy", "StorageUnavailable", "NetworkUnavailable") else status or 1
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("channel", help="its name or id")
    parser.add_argument("feed", help="the address of the feed; items are known by it and by their own identifier")
    parser.add_argument("--newest", type=int, default=0, help="leave out all but this many items")
    parser.add_argument("--socket", default=os.environ.get("BATON_SOCKET", "/run/batond/control"))
    args = parser.parse_args()
    with urllib.request.urlopen(args.feed, timeout=60) as response, socket.socket(socket.AF_UNIX) as connection:
        if len(data := unpacked(response.read(FEED_BYTES_MAX + 1))) > FEED_BYTES_MAX:
            sys.exit(f"the feed has more than {FEED_BYTES_MAX} bytes")
        found = list(items(data))
        connection.settimeout(60)
        connection.connect(args.socket)
        name = {"id": int(args.channel)} if args.channel.isdecimal() else {"name": args.channel}
        reply, error = call(connection, "org.batond.Channels.Get", **name)
        return sys.exit(f"{args.channel}: {error} {reply}") if error else publish(
            connection, reply["channel"]["id"], args.feed, found[-args.newest:])


if __name__ == "__main__":
    sys.exit(main())
