internal import Foundation
internal import Glibc
internal import Synchronization

/// A program that a test runs: its output line by line, its end, and its end by force when the test is over.
public final class Program: Sendable {
  public struct Ended: Error, CustomStringConvertible {
    public let description: String
    public init(description: String) { self.description = description }
  }

  private struct State {
    var lines: [String] = []
    var status: Int32?
    var openPipes = 2
    var partial: [String: [UInt8]] = [:]
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  public var pid: Int32 { child.pid }
  private let name: String
  private let state = Mutex(State())
  private let child: Child

  /// A process that is ended when no one needs it any more, together with everything that it started in its group.
  private final class Child: Sendable {
    let pid: pid_t
    /// Whether it has ended, and whether no one needs it any more. Its number stays its own until both are so.
    private let state = Mutex((isOver: false, isUnwanted: false))

    init(_ pid: pid_t) {
      self.pid = pid
      Leftovers.shared?.began(pid)
    }

    /// Waits for its end on a thread of its own.
    func wait(_ ended: @escaping @Sendable (Int32) -> Void) {
      Thread.detachNewThread { [self] in
        ended(Spawn.end(of: pid))
        settle { $0.isOver = true }
      }
    }

    func drop() { settle { $0.isUnwanted = true } }

    private func settle(_ change: (inout (isOver: Bool, isUnwanted: Bool)) -> Void) {
      state.withLock { state in
        change(&state)
        guard state.isUnwanted else { return }
        kill(-pid, SIGKILL)
        guard state.isOver else { return }
        _ = Spawn.status(of: pid)
        Leftovers.shared?.ended(pid)
      }
    }
  }

  /// - Parameters:
  ///   - path: absolute, or the name of a product beside the test bundle.
  ///   - environment: added to the test's own.
  public init(_ path: String, _ arguments: [String], environment: [String: String] = [:], directory: String? = nil) throws {
    name = path
    let (out, err) = (try Spawn.pipe(), try Spawn.pipe())
    defer {
      close(out.writing)
      close(err.writing)
    }
    do {
      child = Child(
        try Spawn.start(
          path.hasPrefix("/") ? path : Self.products + "/" + path, arguments,
          environment: Spawn.environment.merging(environment) { _, own in own }, directory: directory, output: out.writing,
          errors: err.writing))
    } catch {
      close(out.reading)
      close(err.reading)
      throw error
    }
    for (key, pipe) in [("out", out), ("err", err)] { readToEnd(pipe.reading, key) }
    child.wait { [weak self] status in self?.ended(status) }
  }

  deinit { child.drop() }

  /// The folder with the programs of this package, and with a link for each name under which `baton` runs.
  public static let products: String = {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    for name in ["batond", "batonctl", "baton-console", "baton-sandbox"] {
      let path = folder + "/" + name
      guard (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil else { continue }
      // Another run of tests may do the same at the same moment.
      let own = "\(path)-\(getpid())"
      symlink("baton", own)
      rename(own, path)
    }
    return folder
  }()

  /// The repository's folder.
  public static var repository: String {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { url.deleteLastPathComponent() }
    return url.path
  }

  /// Reads on a thread of its own until the last writer is gone.
  private func readToEnd(_ descriptor: CInt, _ key: String) {
    Thread.detachNewThread { [weak self] in
      var chunk = [UInt8](repeating: 0, count: 16_384)
      while true {
        let count = read(descriptor, &chunk, chunk.count)
        guard count > 0 else { break }
        self?.took(Array(chunk[..<count]), key)
      }
      close(descriptor)
      self?.closed()
    }
  }

  private func closed() { update { $0.openPipes -= 1 } }

  private func took(_ bytes: [UInt8], _ key: String) {
    update { state in
      state.partial[key, default: []] += bytes
      while let end = state.partial[key]?.firstIndex(of: 0x0A) {
        state.lines.append(String(decoding: state.partial[key]?[..<end] ?? [], as: UTF8.self))
        state.partial[key]?.removeFirst(end + 1)
      }
    }
  }

  private func ended(_ status: Int32) { update { $0.status = status } }

  /// Changes what is known, and wakes whoever waits for that.
  private func update(_ change: (inout State) -> Void) {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      change(&state)
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for the next output or the end, or until the test is out of time.
  private func change(unless isThere: (borrowing State) -> Bool) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          if isThere(state) || Task.isCancelled { return true }
          state.waiters.append(continuation)
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      update { _ in }
    }
  }

  /// Whether it has not ended yet.
  public var isRunning: Bool { state.withLock { $0.status == nil } }

  /// All lines so far, from both outputs.
  public var lines: [String] { state.withLock { $0.lines } }

  /// What says most about its end: where it crashed, if it did, or else the last that it said.
  public var lastWords: [String] {
    let all = lines
    guard let crash = all.firstIndex(where: { $0.hasPrefix("*** Program crashed") }) else { return Array(all.suffix(5)) }
    let before = all[..<crash].filter { !$0.isEmpty && !$0.hasPrefix("***") }.suffix(3)
    // The stack of the thread that crashed ends with an empty line, after one below its title.
    let thread = all[crash...].drop { !$0.hasSuffix("crashed:") }
    return before + [all[crash]] + thread.prefix(1) + thread.dropFirst(2).prefix { !$0.isEmpty }.prefix(40)
  }

  /// The first line that contains `text`, from line number `from` on; waits for it, but not longer than the test may take.
  @discardableResult
  public func line(containing text: String, from: Int = 0) async throws -> String {
    while true {
      try Task.checkCancellation()
      let (found, status, count) = state.withLock { state in
        (state.lines.dropFirst(from).first { $0.contains(text) }, state.status, state.lines.count)
      }
      if let found { return found }
      if let status {
        // Its last output may still be on its way.
        await drained()
        if let late = lines.dropFirst(from).first(where: { $0.contains(text) }) { return late }
        throw Ended(description: "\(name) ended with \(status) before '\(text)': \(lastWords)")
      }
      await change { $0.lines.count != count || $0.status != nil }
    }
  }

  /// The addresses of the relays that a sandbox runs. It waits for all of them, which come another way than the line about its control.
  public func sandboxRelays(_ count: Int) async throws -> [String] {
    try await line(containing: "control ")
    while true {
      let all = lines
      let relays = all.filter { $0.hasPrefix("ws://") }
      if relays.count >= count { return relays }
      try await line(containing: "ws://", from: all.count)
    }
  }

  /// The exit status, negative for a signal; waits for the end. A program that outlasts the test is killed.
  public func status() async -> Int32 {
    while true {
      if let status = state.withLock({ $0.status }) { return status }
      if Task.isCancelled {
        signal(SIGKILL)
        await Task.yield()
      }
      await change { $0.status != nil }
    }
  }

  public func signal(_ number: Int32) { kill(pid, number) }

  /// Runs a program to its end.
  public static func run(
    _ path: String, _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> (status: Int32, lines: [String]) {
    let program = try Program(path, arguments, environment: environment)
    let status = await program.status()
    await program.drained()
    return (status, program.lines)
  }

  /// Runs a program to its end, on this thread.
  /// - Returns: the exit status, negative for a signal.
  public static func runAndWait(_ path: String, _ arguments: [String]) throws -> Int32 {
    let pid = try Spawn.start(path, arguments)
    Leftovers.shared?.began(pid)
    defer { Leftovers.shared?.ended(pid) }
    return Spawn.status(of: pid)
  }

  /// Returns once all output has been read. It may still be in the pipes when a program has ended.
  public func drained() async {
    while state.withLock({ $0.openPipes > 0 }), !Task.isCancelled { await change { $0.openPipes == 0 } }
  }

  /// A TCP port on loopback that no one uses, and that the kernel gives no one who asks for any: whoever it is meant for may take long to
  /// listen there, and where no one is meant to listen no one ever does.
  public static func freePort() -> Int {
    while true {
      let port = nextPort.withLock { next in
        defer { next = next + 1 < ports.upperBound ? next + 1 : ports.lowerBound }
        return next
      }
      if isFree(port) { return port }
    }
  }

  /// Ports below those that the kernel chooses from (ip_local_port_range).
  private static let ports = 20_000..<32_000
  private static let nextPort = Mutex(Int.random(in: ports))

  private static func isFree(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
    }
  }
}
