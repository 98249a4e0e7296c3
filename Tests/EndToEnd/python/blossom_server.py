#!/usr/bin/env python3
"""blossom_server.py PORT HOST [--faults FILE] [--name NAME=KEY]... [--cert FILE --key FILE]: a server for files (Blossom BUD-01, 02 and 11) and for names
(NIP-05), in memory and strict.

nostr-sdk checks the authorization of an upload. Prints "ready URL" when it listens, and a line for each request: the method, the target,
the status, and for an upload the key that signed. What FILE holds when a request comes is what it does wrong: large, unauthorized,
other-hash, other-bytes, garbage, redirect, close or silent. Exit 0 on SIGTERM.
"""
import argparse
import base64
import hashlib
import json
import os
import re
import signal
import ssl
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from nostr_sdk import Event, NostrSdkError

BYTES_MAX = 10_000_000


class Refused(Exception):
    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def need(condition, status, reason):
    if not condition:
        raise Refused(status, reason)


def authorized(header, digest, host):
    """The public key that has signed for the upload of this file to this server."""
    need(header and header.startswith("Nostr "), 401, "no authorization")
    token = header[6:]
    try:
        need(re.fullmatch(r"[A-Za-z0-9_-]+", token), 401, "not base64url without padding")
        text = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        event = Event.from_json(text.decode())
        tags = json.loads(text)["tags"]
    except (ValueError, KeyError, NostrSdkError) as error:
        raise Refused(401, f"not an event: {type(error).__name__}") from error
    need(event.verify_id() and event.verify_signature(), 401, "the signature is not good")
    fields = json.loads(text)

    def values(name):
        return [tag[1] for tag in tags if len(tag) == 2 and tag[0] == name]

    now = time.time()
    need(fields["kind"] == 24242, 401, "the kind is not 24242")
    need(fields["created_at"] <= now, 401, "it is dated ahead")
    need(fields["content"].strip(), 401, "it does not say what it is for")
    need(values("t") == ["upload"], 401, "it is not for an upload")
    need(len(values("expiration")) == 1 and now < int(values("expiration")[0]) <= now + 3600, 401, "it is not short-lived")
    need(values("x") == [digest], 401, "it is not for this file alone")
    need(host in values("server"), 401, "it is not for this server")
    need(len(tags) == 3 + len(values("server")), 401, "it says more than it must")
    return event.author().to_hex()


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address, host, names, faults):
        super().__init__(address, Handler)
        self.host, self.names, self.files, self.faults = host, names, {}, faults
        self.lock = threading.Lock()

    @property
    def fault(self):
        if not self.faults or not os.path.exists(self.faults):
            return ""
        with open(self.faults, encoding="utf-8") as file:
            return file.read().strip()

    def handle_error(self, request, client_address):
        """Clients may go away whenever they like."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body=b"", kind="application/octet-stream", signer="", fields=()):
        with self.server.lock:
            print(self.command, self.path, status, signer, flush=True)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.close_connection = True

    def do_PUT(self):
        try:
            need(self.path == "/upload", 404, "no such place")
            size = int(self.headers.get("Content-Length") or 0)
            need(0 < size <= BYTES_MAX, 413, "too large, or empty")
            body = self.rfile.read(size)
            digest = hashlib.sha256(body).hexdigest()
            need(self.headers.get("X-SHA-256") == digest, 409, "X-SHA-256 is another")
            need(self.server.fault != "large", 413, "at most 4 bytes are taken")
            need(self.server.fault != "unauthorized", 401, "you are not known here")
            if self.server.fault == "close":
                return self.connection.close()
            if self.server.fault == "silent":
                with self.server.lock:
                    print(self.command, self.path, "silent", flush=True)
                self.close_connection = True
                # It ends when the client goes away.
                return self.rfile.read(1)
            signer = authorized(self.headers.get("Authorization"), digest, self.server.host)
        except Refused as refusal:
            return self.answer(refusal.status, json.dumps({"message": str(refusal)}).encode(), "application/json",
                               fields=[("X-Reason", str(refusal))])
        if self.server.fault == "garbage":
            return self.answer(200, b"<html>welcome</html>", "text/html", signer)
        is_new = digest not in self.server.files
        if self.server.fault != "other-hash":
            self.server.files[digest] = (self.headers.get("Content-Type"), body)
        shown = "0" * 64 if self.server.fault == "other-hash" else digest
        words = {"url": f"https://elsewhere.invalid/{shown}", "sha256": shown, "size": len(body), "uploaded": int(time.time())}
        return self.answer(201 if is_new else 200, json.dumps(words).encode(), "application/json", signer)

    def do_GET(self):
        target = urlsplit(self.path)
        if target.path == "/.well-known/nostr.json":
            name = parse_qs(target.query).get("name", [""])[0]
            if self.server.fault == "redirect":
                return self.answer(302, fields=[("Location", f"/.well-known/other.json?name={name}")])
            found = {name: self.server.names[name]} if name in self.server.names else {}
            return self.answer(200, json.dumps({"names": found}).encode(), "application/json")
        match = re.fullmatch(r"/(?:moved/)?([0-9a-f]{64})(?:\.[a-z0-9]+)?", target.path)
        if not match or match[1] not in self.server.files:
            return self.answer(404)
        if self.server.fault == "redirect" and not target.path.startswith("/moved/"):
            return self.answer(307, fields=[("Location", "/moved" + target.path)])
        kind, body = self.server.files[match[1]]
        if self.server.fault == "other-bytes":
            body = body[:-1] + bytes([body[-1] ^ 1])
        return self.answer(200, body, kind)

    do_HEAD = do_GET


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("host")
    parser.add_argument("--faults")
    parser.add_argument("--name", action="append", default=[])
    parser.add_argument("--cert")
    parser.add_argument("--key")
    args = parser.parse_args()
    server = Server(("127.0.0.1", args.port), args.host, dict(name.split("=") for name in args.name), args.faults)
    if args.cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(args.cert, args.key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print(f"ready http{'s' if args.cert else ''}://127.0.0.1:{args.port}", flush=True)
    server.serve_forever()


main()
