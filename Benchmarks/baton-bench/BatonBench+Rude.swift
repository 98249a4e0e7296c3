import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestSupport

// Clients without manners beside one that has some.
extension BatonBench {
  /// A control call by one client, alone and beside fifty that flood, stall, do not read, or break the protocol.
  static func rudeClients() async throws {
    let folder = try TemporaryFolder()
    let daemon = try await daemon(folder, environment: ["BATON_CONTROL_CONNECTIONS_PER_USER": "4096"])
    let call = "{\"method\":\"io.systemd.service.Ping\"}"
    func median() async throws -> Double {
      var runs: [Double] = []
      for _ in 0..<3 {
        let result = try await Program.run(limits + "/echo", ["client", folder.path + "/c", "1", "2", call])
        runs.append((result.lines.first ?? "").split(separator: " ").first.flatMap { Double($0) } ?? 0)
      }
      return self.median(runs)
    }
    let alone = try await median()
    let memoryBefore = memory(daemon.pid)
    let rude = try (0..<50).map { try RudeClient(kind: $0 % 5, path: folder.path + "/c") }
    for client in rude { client.start() }
    let beside = try await median()
    row(
      "control call beside 50 rude clients, median", "\(format(beside, 1)) µs",
      "the same call without them: \(format(alone, 1)) µs",
      format(beside / alone, 2))
    row(
      "memory of the daemon with them (resident)", "\(format(memory(daemon.pid), 1)) MiB",
      "before: \(format(memoryBefore, 1)) MiB")
    for client in rude { client.stop() }
    daemon.signal(SIGTERM)
    _ = await daemon.status()
  }
}

/// One client that does what it should not.
private final class RudeClient: @unchecked Sendable {
  private let kind: Int
  private let path: String
  private let lock = NSLock()
  private var isOver = false

  init(kind: Int, path: String) throws {
    self.kind = kind
    self.path = path
  }

  func start() { Thread { self.run() }.start() }
  func stop() { lock.withLock { isOver = true } }

  private var goesOn: Bool { lock.withLock { !isOver } }

  private func run() {
    while goesOn {
      guard let socket = try? RawSocket(path: path) else { continue }
      var limit = timeval(tv_sec: 0, tv_usec: 200_000)
      setsockopt(socket.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      switch kind {
      case 0:
        // Half a message, for a while.
        socket.send(Array("{\"method\":\"org.batond.Chan".utf8))
        pause()
      case 1:
        // Watches and reads nothing.
        socket.send(Array("{\"method\":\"org.batond.Monitor.Watch\",\"parameters\":{},\"more\":true}\0".utf8))
        pause()
      case 2:
        // Calls and calls, and reads no answer, until nothing goes any more.
        let calls = Array(String(repeating: "{\"method\":\"org.batond.Relays.List\"}\0", count: 200).utf8)
        socket.send(calls)
        pause()
      case 3:
        // Not Varlink at all.
        socket.send((0..<4096).map { _ in UInt8.random(in: 0...255) })
        usleep(20_000)
      default:
        // Comes and goes.
        usleep(2_000)
      }
    }
  }

  private func pause() { for _ in 0..<20 where goesOn { usleep(50_000) } }
}
