import Foundation
import Glibc

/// A connection to a relay on this machine with nothing around the socket: no loop, no verification, one thread that reads.
final class PlainWebSocket: Sendable {
  struct Failure: Error { let reason: String }
  private let descriptor: CInt

  init(_ url: String) throws {
    guard let port = url.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw Failure(reason: "no port in \(url)") }
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure(reason: "no connection to \(url)") }
    var isOn: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
    let request =
      "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
    write(Array(request.utf8))
    // The relay says nothing before it is asked, so no frame can be lost here.
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard let byte = some(1).first else { throw Failure(reason: "\(url) does not speak WebSocket") }
      head.append(byte)
    }
    guard head.starts(with: "HTTP/1.1 101".utf8) else { throw Failure(reason: "\(url) does not speak WebSocket") }
  }

  deinit { Glibc.close(descriptor) }

  /// Ends the thread that reads.
  func hangUp() { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }

  /// Sends a text in one frame. The mask is zero, so the text stays as it is.
  func send(_ text: String) {
    let bytes = Array(text.utf8)
    let length: [UInt8] =
      switch bytes.count {
      case ..<126: [0x80 | UInt8(bytes.count)]
      case ..<65_536: [0xFE, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
      default: [0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> (56 - 8 * $0)) }
      }
    write([0x81] + length + [0, 0, 0, 0] + bytes)
  }

  /// Gives away each text that comes, on a thread of its own, until the connection ends.
  func read(_ each: @escaping @Sendable ([UInt8]) -> Void) {
    Thread.detachNewThread { [self] in
      var buffer: [UInt8] = []
      while true {
        let bytes = some(1 << 16)
        guard !bytes.isEmpty else { return }
        buffer += bytes
        var start = 0
        while let frame = Self.frame(buffer[start...]) {
          if frame.isText { each(Array(buffer[frame.body])) }
          start = frame.body.upperBound
        }
        buffer.removeFirst(start)
      }
    }
  }

  /// The first frame, if all of it is there. Relays send whole messages without masks.
  private static func frame(_ bytes: ArraySlice<UInt8>) -> (body: Range<Int>, isText: Bool)? {
    guard bytes.count >= 2 else { return nil }
    let (start, short) = (bytes.startIndex, Int(bytes[bytes.startIndex + 1] & 0x7F))
    let extra = short == 126 ? 2 : short == 127 ? 8 : 0
    guard bytes.count >= 2 + extra else { return nil }
    let body = start + 2 + extra
    let count = extra == 0 ? short : bytes[(start + 2)..<body].reduce(0) { $0 << 8 | Int($1) }
    guard count <= bytes.endIndex - body else { return nil }
    return (body..<body + count, bytes[start] & 0x0F == 1)
  }

  private func some(_ max: Int) -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: max)
    let count = recv(descriptor, &chunk, max, 0)
    return Array(chunk.prefix(count > 0 ? count : 0))
  }

  private func write(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.send(descriptor, buffer.baseAddress.map { $0 + sent }, bytes.count - sent, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }
}
