internal import Foundation
internal import Glibc

/// A connection without manners, for tests of servers. Blocking, with a limit on every wait.
public final class RawSocket: Sendable {
  public struct Failure: Error { public let errno: CInt }
  /// More than any machine needs, however busy it is.
  private static let limitSeconds = 300
  public let descriptor: CInt

  public init(path: String) throws {
    descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try finish(result)
  }

  /// Connects to a port of 127.0.0.1.
  public init(port: UInt16) throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try finish(result)
  }

  private func finish(_ result: CInt) throws {
    guard result == 0 else { throw Failure(errno: errno) }
    var limit = timeval(tv_sec: Self.limitSeconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { Glibc.close(descriptor) }

  public func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.send(descriptor, buffer.baseAddress.map { $0 + sent }, bytes.count - sent, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Sends what there is room for now, and does not wait for more.
  /// - Returns: the number of bytes sent.
  public func sendWhatFits(_ bytes: ArraySlice<UInt8>) -> Int {
    max(0, bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)) })
  }

  public func halfClose() { _ = shutdown(descriptor, CInt(SHUT_WR)) }
  public func close() { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }

  /// The messages that come, without their NUL, until the peer closes or there are `replies`. When neither happens, the last of them says
  /// so.
  public func receive(replies: Int?) async -> [String] {
    // On a thread of its own: the pools of threads are what the servers under test run on.
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: self.receiveBlocking(replies: replies)) }
    }
  }

  /// The bytes that have arrived, as soon as there are any; none at the end.
  /// - Parameter max: the most bytes to read; others stay where they are.
  public func receiveSome(max: Int) async -> [UInt8] {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var chunk = [UInt8](repeating: 0, count: max)
        let count = recv(self.descriptor, &chunk, max, 0)
        continuation.resume(returning: Array(chunk.prefix(Swift.max(count, 0))))
      }
    }
  }

  /// All bytes until the peer closes.
  public func receiveAll() async -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let some = await receiveSome(max: 65_536)
      if some.isEmpty { return bytes }
      bytes += some
    }
  }

  private func receiveBlocking(replies: Int?) -> [String] {
    var buffer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var ends = 0
    while replies.map({ ends < $0 }) ?? true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count < 0, errno == EAGAIN { buffer += Array("\0nothing came for \(Self.limitSeconds) s".utf8) }
      guard count > 0 else { break }
      buffer += chunk[..<count]
      ends += chunk[..<count].count { $0 == 0 }
    }
    return buffer.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}
