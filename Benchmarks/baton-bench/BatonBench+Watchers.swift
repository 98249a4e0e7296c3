import BatonClient
import ControlAPI
import Foundation
import Glibc
import TestSupport

// A thousand clients that watch: what they cost whoever changes something, and what those cost that do not read.
extension BatonBench {
  /// Lets this process and those that it starts have thousands of connections.
  static func allowManyConnections() {
    // Two descriptors for each connection, here and there.
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(limit.rlim_max, 16_384)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  static func watchers() async throws {
    allowManyConnections()
    let changes = 1_000
    var rates: [Double] = []
    for (count, isDeaf) in [(1, false), (1_000, false), (1_000, true)] {
      let folder = try TemporaryFolder()
      let daemon = try await daemon(folder, environment: ["BATON_CONTROL_CONNECTIONS_PER_USER": "4096"])
      let client = try await BatonClient(socket: folder.path + "/c")
      var relay = try await client.relays.add(AddRelay(address: "ws://127.0.0.1:1"))
      let before = memory(daemon.pid)
      let crowd = try Crowd(count, path: folder.path + "/c")
      while try await client.daemon.status().subscribers < count { await Task.yield() }
      let started = ContinuousClock.now
      let end = relay.revision + Int64(changes)
      async let heard: Void = isDeaf ? () : crowd.read(through: end)
      for number in 1...changes {
        relay = try await client.relays.update(UpdateRelay(id: relay.id, revision: relay.revision, name: "relay no \(number)"))
      }
      await heard
      let rate = Double(changes) / seconds(ContinuousClock.now - started)
      rates.append(rate)
      row(
        "changes one after the other, \(count) watching\(isDeaf ? ", none reading" : ", until all have heard of all")",
        "\(format(rate))/s; resident \(format(memory(daemon.pid), 1)) MiB, before \(format(before, 1))",
        rates.count > 1 ? "with one: \(format(rates[0]))/s" : "", rates.count > 1 ? format(rate / rates[0], 2) : "")
      await client.close()
      daemon.signal(SIGKILL)
      _ = await daemon.status()
      _ = crowd
    }
  }
}

/// Clients that watch, read by one thread.
private final class Crowd: Sendable {
  private let sockets: [RawSocket]

  init(_ count: Int, path: String) throws {
    sockets = try (0..<count).map { _ in
      let socket = try RawSocket(path: path)
      socket.send(Array("{\"method\":\"org.batond.Monitor.Watch\",\"more\":true}\0".utf8))
      return socket
    }
  }

  /// Reads until everyone has heard of the change of this revision.
  func read(through revision: Int64) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        self.readBlocking(through: revision)
        continuation.resume()
      }
    }
  }

  private func readBlocking(through revision: Int64) {
    var open = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    // A message ends with its revision and its time, whatever stands before them.
    var tails: [CInt: [UInt8]] = [:]
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while !open.isEmpty {
      poll(&open, nfds_t(open.count), -1)
      for index in open.indices.reversed() where open[index].revents != 0 {
        let count = recv(open[index].fd, &chunk, chunk.count, CInt(MSG_DONTWAIT))
        let problem = count < 0 ? errno : 0
        let tail = (tails[open[index].fd] ?? []) + chunk[max(0, count - 100)..<max(0, count)]
        tails[open[index].fd] = tail.suffix(100)
        if count == 0 || ![0, EAGAIN, EINTR].contains(problem) {
          fatalError("a client was cut off before it had heard of everything")
        }
        if Self.revision(in: tail) >= revision { open.remove(at: index) }
      }
    }
  }

  private static func revision(in text: [UInt8]) -> Int64 {
    String(decoding: text, as: UTF8.self).components(separatedBy: "\"revision\":").last
      .flatMap { Int64($0.prefix { $0.isASCII && $0.isNumber }) } ?? 0
  }
}
