"""An SMP or XFTP server as far as its hello, made of Python's ssl module, cryptography and h2, for tests of Baton's server probe.

Prints `ADDRESS smp://FINGERPRINT=@127.0.0.1:PORT` when it listens, `ENDED` after each connection, and serves until SIGTERM or
until its parent is gone.
It keeps to the protocol unless --fault says how it should not. Its hellos have the form of those in Tests/SimpleXTests/Vectors, which
smp-server and xftp-server 6.5.5 sent.
"""

import argparse
import base64
import copy
import datetime
import os
import secrets
import signal
import socket
import ssl
import struct
import sys
import tempfile
import threading

import h2.config
import h2.connection
import h2.events
import h2.exceptions
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ed448, ed25519, x25519
from cryptography.x509.oid import NameOID

BLOCK = 16384
ALGORITHMS = {"ed25519": bytes.fromhex("06032b6570"), "ed448": bytes.fromhex("06032b6571")}
FAULTS = [
    "none", "expired", "not-yet-valid", "expired-authority", "foreign-leaf", "one-certificate", "five-certificates", "not-tls",
    "silent-tls", "close-after-tls", "silent", "short-hello", "long-hello", "garbage-hello", "huge-length", "bad-session",
    "bad-signature", "other-chain", "no-key", "old-version", "new-version", "bad-status", "bare-key", "twice-wrapped-key",
    "other-leaf", "later-parts", "long-certificate",
]


def der(certificate):
    return certificate.public_bytes(serialization.Encoding.DER)


def element(tag, content):
    length = len(content)
    if length < 0x80:
        return bytes([tag, length]) + content
    return bytes([tag, 0x82]) + struct.pack(">H", length) + content if length > 0xFF else bytes([tag, 0x81, length]) + content


def certificate(name, key, issuer, signer, dates, level, comment=b""):
    builder = (
        x509.CertificateBuilder().subject_name(name).issuer_name(issuer).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(dates[0]).not_valid_after(dates[1])
        .add_extension(x509.BasicConstraints(ca=level > 0, path_length=None), critical=True)
    )
    if comment:
        identifier = x509.ObjectIdentifier("2.16.840.1.113730.1.13")
        builder = builder.add_extension(x509.UnrecognizedExtension(identifier, element(0x16, comment)), critical=False)
    return builder.sign(signer, None)


class Identity:
    """A chain of certificates, the leaf first, and the leaf's key."""

    def __init__(self, algorithm, certificates, fault):
        self.algorithm = algorithm
        make = {"ed25519": ed25519.Ed25519PrivateKey, "ed448": ed448.Ed448PrivateKey}[algorithm].generate
        now = datetime.datetime.now(datetime.timezone.utc)
        day = datetime.timedelta(days=1)
        good, past, future = (now - 10 * day, now + 90 * day), (now - 10 * day, now - 2 * day), (now + 2 * day, now + 90 * day)
        self.chain = []
        key, name, issuer_name, issuer_key = None, None, None, None
        # From the root down; the last one made is the leaf.
        for level in reversed(range(certificates)):
            key = make()
            name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost" if level == 0 else f"authority {level}")])
            dates = good
            if level == 0:
                dates = {"expired": past, "not-yet-valid": future}.get(fault, good)
            elif level == 1 and fault == "expired-authority":
                dates = past
            signer = make() if level == 0 and fault == "foreign-leaf" else issuer_key or key
            comment = b"a" * 20000 if level == 0 and fault == "long-certificate" else b""
            self.chain.insert(0, certificate(name, key, issuer_name or name, signer, dates, level, comment))
            if level == 0:
                # The same authorities, and a leaf that the TLS handshake does not show.
                self.other_leaf = copy.copy(self)
                self.other_leaf.key = make()
                leaf = certificate(name, self.other_leaf.key, issuer_name or name, signer, dates, level)
                self.other_leaf.chain = [leaf] + self.chain[1:]
            issuer_name, issuer_key = name, key
        self.key = key
        named = self.chain[1] if certificates > 1 else self.chain[0]
        self.fingerprint = base64.urlsafe_b64encode(named.fingerprint(hashes.SHA256())).decode()

    def signed_key(self, fault):
        """A key for the connection, in the form in which the servers sign: SEQUENCE { SubjectPublicKeyInfo } is what is signed."""
        signed = x25519.X25519PrivateKey.generate().public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        for _ in range({"bare-key": 0, "twice-wrapped-key": 2}.get(fault, 1)):
            signed = element(0x30, signed)
        signature = self.key.sign(signed)
        if fault == "bad-signature":
            signature = bytes([signature[0] ^ 1]) + signature[1:]
        return element(0x30, signed + element(0x30, ALGORITHMS[self.algorithm]) + element(0x03, b"\0" + signature))


class Peer:
    def __init__(self, options):
        self.transport = options.transport
        self.fault = options.fault
        certificates = {"one-certificate": 1, "five-certificates": 5}.get(options.fault, options.chain)
        self.identity = Identity(options.key, certificates, options.fault)
        self.other = Identity(options.key, options.chain, "none")
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        if options.tls == "1.2":
            self.context.maximum_version = ssl.TLSVersion.TLSv1_2
        if options.alpn:
            self.context.set_alpn_protocols([options.alpn])
        with tempfile.NamedTemporaryFile(suffix=".pem") as file:
            for shown in self.identity.chain:
                file.write(shown.public_bytes(serialization.Encoding.PEM))
            file.write(self.identity.key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
            file.flush()
            self.context.load_cert_chain(file.name)

    def hello(self, session):
        low, high = (6, 18) if self.transport == "smp" else (1, 3)
        if self.fault == "old-version":
            low, high = (1, 5) if self.transport == "smp" else (0, 0)
        if self.fault == "new-version":
            low, high = high + 1, high + 9
        if self.fault == "bad-session":
            session = secrets.token_bytes(len(session))
        content = struct.pack(">HHB", low, high, len(session)) + session
        if self.fault != "no-key":
            signer = self.identity.other_leaf if self.fault == "other-leaf" else self.identity
            chain = self.other.chain if self.fault == "other-chain" else signer.chain
            content += bytes([len(chain)])
            for part in [der(shown) for shown in chain] + [signer.signed_key(self.fault)]:
                content += struct.pack(">H", len(part)) + part
            # File servers add a proof for browsers, which is empty for everyone else.
            content += b"\0" if self.transport == "xftp" else b""
            content += b"more, for later versions" if self.fault == "later-parts" else b""
        if self.fault == "garbage-hello":
            content = b"GARBAGE" * 200
        length = 0xFFFF if self.fault == "huge-length" else len(content)
        block = (struct.pack(">H", length) + content).ljust(BLOCK, b"#")
        if self.fault == "short-hello":
            return block[:100]
        return block + b"#" if self.fault == "long-hello" else block

    def serve(self, connection):
        try:
            with connection:
                if self.fault == "not-tls":
                    connection.sendall(b"220 mail.example ESMTP\r\n")
                    return
                if self.fault == "silent-tls":
                    wait_for_end(connection)
                    return
                with self.context.wrap_socket(connection, server_side=True) as tls:
                    # On the server's side this is what the client sent: its Finished message.
                    session = tls.get_channel_binding("tls-unique")
                    if self.fault == "close-after-tls":
                        return
                    if self.transport == "xftp":
                        self.serve_http(tls, session)
                        return
                    if self.fault != "silent":
                        tls.sendall(self.hello(session))
                    if self.fault != "short-hello":
                        wait_for_end(tls)
        except (OSError, h2.exceptions.ProtocolError):
            pass
        finally:
            print("ENDED", flush=True)

    def serve_http(self, tls, session):
        http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        http.initiate_connection()
        tls.sendall(http.data_to_send())
        requests = {}
        while True:
            data = tls.recv(65536)
            if not data:
                return
            for event in http.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    requests[event.stream_id] = dict(event.headers)
                elif isinstance(event, h2.events.StreamEnded) and self.fault != "silent":
                    request = requests.pop(event.stream_id)
                    is_right = request[":method"] == "POST" and request[":path"] == "/" and self.fault != "bad-status"
                    http.send_headers(event.stream_id, [(":status", "200" if is_right else "400")])
                    http.send_data(event.stream_id, b"")
                    body = self.hello(session) if is_right else b""
                    for start in range(0, len(body), 8192):
                        http.send_data(event.stream_id, body[start:start + 8192])
                    http.end_stream(event.stream_id)
            tls.sendall(http.data_to_send())


def wait_for_end(connection):
    while connection.recv(4096):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--transport", choices=["smp", "xftp"], default="smp")
    parser.add_argument("--key", choices=list(ALGORITHMS), default="ed25519")
    parser.add_argument("--chain", type=int, choices=[2, 3, 4], default=2)
    parser.add_argument("--tls", choices=["1.2", "1.3"], default="1.3")
    parser.add_argument("--alpn", default=None, help="what to agree to; the transport's own by default, empty for none")
    parser.add_argument("--fault", choices=FAULTS, default="none")
    options = parser.parse_args()
    if options.alpn is None:
        options.alpn = options.transport + "/1"
    peer = Peer(options)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(1)
    port = listener.getsockname()[1]
    print(f"ADDRESS {options.transport}://{peer.identity.fingerprint}@127.0.0.1:{port}", flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            continue
        connection.settimeout(None)
        threading.Thread(target=peer.serve, args=[connection], daemon=True).start()
    sys.exit(0)


if __name__ == "__main__":
    main()
