"""Writes PNG files (ISO/IEC 15948) without an imaging library."""

import struct
import zlib


def write(path, width, height, pixels):
    """Writes red, green and blue of each pixel, row after row, one byte each."""

    def part(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    # No row is filtered.
    rows = b"".join(b"\0" + pixels[row * width * 3 : (row + 1) * width * 3] for row in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows, 1)) + part(b"IEND", b""))
