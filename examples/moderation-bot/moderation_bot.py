#!/usr/bin/env python3
"""Hides messages with words of a list, and mutes whoever writes several of them, as long as it runs."""
import argparse
import collections
import json
import os
import re
import signal
import socket
import sys
import time
import unicodedata

RETRY_SECONDS = 2


class Lost(Exception):
    """The daemon is away."""


def folded(text):
    """The text without case, width, accents and characters that no one sees."""
    text = unicodedata.normalize("NFKD", text)
    text = "".join(letter for letter in text if not unicodedata.category(letter).startswith(("M", "C")) or letter in "\n\t")
    return text.casefold()


def pattern(words):
    """What matches any of the words, each as a whole."""
    words = sorted({folded(word.strip()) for word in words if word.strip() and not word.startswith("#")}, key=len, reverse=True)
    return re.compile(r"(?<!\w)(?:%s)(?!\w)" % "|".join(map(re.escape, words))) if words else None


class Daemon:
    """A connection, over which one call follows the other."""

    def __init__(self, path):
        self.connection = socket.socket(socket.AF_UNIX)
        self.received = bytearray()
        try:
            self.connection.connect(path)
        except OSError as error:
            raise Lost(error) from error

    def replies(self, method, more=False, **parameters):
        call = {"method": "org.batond." + method, "parameters": parameters}
        if more:
            call["more"] = True
        try:
            self.connection.sendall(json.dumps(call).encode() + b"\0")
            while True:
                while b"\0" not in self.received:
                    part = self.connection.recv(65536)
                    if not part:
                        raise Lost("the connection was closed")
                    self.received += part
                frame, _, rest = self.received.partition(b"\0")
                self.received = bytearray(rest)
                reply = json.loads(frame)
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']} {reply.get('parameters', {})}")
                yield reply.get("parameters", {})
                if not reply.get("continues"):
                    return
        except OSError as error:
            raise Lost(error) from error

    def call(self, method, **parameters):
        return next(self.replies(method, **parameters))


class Moderator:
    def __init__(self, path, bad, mute_after):
        self.path, self.bad, self.mute_after = path, bad, mute_after
        self.offences = collections.Counter()

    def judge(self, daemon, message):
        """Hides a message that others wrote if it has one of the words."""
        if message["own"] or message["hidden"] or "deletedAt" in message or not self.bad.search(folded(message["text"])):
            return
        author = message["author"]
        daemon.call("Messages.SetHidden", id=message["id"], hidden=True)
        self.offences[author] += 1
        print(f"hid message {message['id']} by {json.dumps(author)}", flush=True)
        if self.offences[author] == self.mute_after:
            daemon.call("People.SetMuted", author=author, muted=True)
            print(f"muted {json.dumps(author)}", flush=True)

    def run(self):
        """Goes through what there is, and then through what comes. It ends when the daemon is away."""
        reading, watching = Daemon(self.path), Daemon(self.path)
        # What changes while pages are read comes again below.
        since = reading.call("Messages.List", limit=1)["revision"]
        place = {}
        while True:
            page = reading.call("Messages.List", limit=100, **place)
            for message in page["messages"]:
                self.judge(reading, message)
            if not page["hasOlder"] or not page["messages"]:
                break
            place = {"before": page["messages"][-1]["id"]}
        print("watching", flush=True)
        for change in watching.replies("Messages.Watch", more=True, since=since):
            if "message" in change:
                self.judge(reading, change["message"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", help="a file with a word or some words on each line; lines that begin with # are left out")
    parser.add_argument("--mute-after", type=int, default=3, help="hidden messages after which their author is muted; 0 for never")
    parser.add_argument("--socket", default=os.environ.get("BATON_SOCKET", "/run/batond/control"))
    args = parser.parse_args()
    with open(args.words, encoding="utf-8") as file:
        bad = pattern(file)
    if not bad:
        sys.exit(f"{args.words} holds no words")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    moderator = Moderator(args.socket, bad, args.mute_after)
    while True:
        try:
            moderator.run()
        except Lost as reason:
            print(f"the daemon is away: {reason}", file=sys.stderr, flush=True)
        time.sleep(RETRY_SECONDS)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except RuntimeError as refusal:
        sys.exit(str(refusal))
