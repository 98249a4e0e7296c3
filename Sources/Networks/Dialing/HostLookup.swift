internal import Channels
internal import Foundation
internal import Glibc
public import NIOCore
internal import Synchronization

/// Finds the addresses of hosts. Lookups block for long, so they have a few separate threads: one silent name server must not delay other
/// lookups, nor block the threads that everything else shares.
///
/// A name is looked up once at a time, however many tasks wait for it. When there are more names than threads, they wait in line. Names
/// whose latest lookup failed wait in a separate line and never get all threads, so that names which do not resolve cannot delay names that
/// do.
public final class HostLookup: Sendable {
  /// Finds the addresses of one name, without a time limit.
  typealias Resolver = @Sendable (_ host: String) -> Result<[SocketAddress], any Error>

  /// The largest number of addresses that are used for one host.
  public static let addressesMax = 8
  /// The number of names that may wait. Further names are refused as `timeout`.
  static let namesMax = 10_000
  /// The number of names that are remembered as failing. If there are more, all are forgotten.
  private static let failedMax = 10_000

  private struct Waiter {
    let port: Int
    let promise: EventLoopPromise<[SocketAddress]>
  }

  private struct State {
    /// The waiting tasks by name. A name is here while it waits in line or is looked up.
    var waiting: [String: [Int: Waiter]] = [:]
    /// The line of names to look up, in order.
    var line: [String] = []
    /// The line of names whose latest lookup failed.
    var lineOfFailed: [String] = []
    var failed: Set<String> = []
    var threads = 0
    /// The number of threads that are looking up names whose latest lookup failed.
    var threadsOfFailed = 0
    var nextID = 0
  }

  private let threadsMax: Int
  private let threadsOfFailedMax: Int
  private let resolve: Resolver
  private let state = Mutex(State())

  /// - Parameter threadsMax: the largest number of threads. At most half of them work on names whose latest lookup failed.
  public convenience init(threadsMax: Int = 32) { self.init(threadsMax: threadsMax, resolve: Self.lookUp) }

  init(threadsMax: Int, resolve: @escaping Resolver) {
    self.threadsMax = threadsMax
    threadsOfFailedMax = max(1, threadsMax / 2)
    self.resolve = resolve
  }

  /// The addresses of `host`, a name or an address itself, in the resolver's order. There is at least one.
  /// - Parameters:
  ///   - limit: time allowed, waiting in line included.
  ///   - eventLoop: where the outcome is awaited. It is never blocked.
  /// - Throws: `unreachable` without an address, or `timeout`.
  public func addresses(
    of host: String, port: Int, within limit: Duration, on eventLoop: any EventLoop
  ) async throws(PeerFailure) -> [SocketAddress] {
    // An address needs no lookup, and some resolvers refuse addresses of a family that the machine does not use.
    if let address = try? SocketAddress(ipAddress: host, port: port) { return [address] }
    let late = PeerFailure(.timeout, "the name \(host) was not looked up within \(limit.briefly)")
    return try await eventLoop.outcome(within: limit, orElse: late) { promise in
      guard let id = join(host, Waiter(port: port, promise: promise)) else {
        return promise.fail(PeerFailure(.timeout, "\(Self.namesMax) names wait to be looked up already"))
      }
      promise.futureResult.whenComplete { [self] _ in leave(host, id) }
      if let next = take() { start(next) }
    }
  }

  // MARK: - Lines

  /// A name and the thread's kind of line.
  private typealias Task = (host: String, isFailed: Bool)

  /// - Returns: `nil` if too many names wait.
  private func join(_ host: String, _ waiter: Waiter) -> Int? {
    state.withLock { state in
      if state.waiting[host] == nil {
        guard state.waiting.count < Self.namesMax else { return nil }
        if state.failed.contains(host) { state.lineOfFailed.append(host) } else { state.line.append(host) }
      }
      state.nextID += 1
      state.waiting[host, default: [:]][state.nextID] = waiter
      return state.nextID
    }
  }

  /// Removes a waiting task that has its answer, or no longer waits.
  private func leave(_ host: String, _ id: Int) { state.withLock { $0.waiting[host]?[id] = nil } }

  /// The next name to look up, if a thread may do so. The thread counts as busy after that.
  private func take() -> Task? {
    state.withLock { state in
      guard state.threads < threadsMax else { return nil }
      if let host = Self.first(of: \.line, &state) {
        state.threads += 1
        return (host, false)
      }
      guard state.threadsOfFailed < threadsOfFailedMax, let host = Self.first(of: \.lineOfFailed, &state) else { return nil }
      state.threads += 1
      state.threadsOfFailed += 1
      return (host, true)
    }
  }

  /// The first name in a line for which a task still waits. Names for which no one waits any more are dropped.
  private static func first(of line: WritableKeyPath<State, [String]>, _ state: inout State) -> String? {
    while !state[keyPath: line].isEmpty {
      let host = state[keyPath: line].removeFirst()
      if state.waiting[host]?.isEmpty == false { return host }
      state.waiting[host] = nil
    }
    return nil
  }

  private func start(_ task: Task) {
    let thread = Thread { [self] in
      var next: Task? = task
      while let task = next {
        finish(task, resolve(task.host))
        next = take()
      }
    }
    thread.stackSize = 512 << 10
    thread.start()
  }

  private func finish(_ task: Task, _ result: Result<[SocketAddress], any Error>) {
    let waiters = state.withLock { state in
      state.threads -= 1
      if task.isFailed { state.threadsOfFailed -= 1 }
      switch result {
      case .success: state.failed.remove(task.host)
      case .failure:
        if state.failed.count >= Self.failedMax { state.failed = [] }
        state.failed.insert(task.host)
      }
      return state.waiting.removeValue(forKey: task.host) ?? [:]
    }
    for waiter in waiters.values {
      waiter.promise.completeWith(
        result.map { addresses in
          addresses.map { address in
            var address = address
            address.port = waiter.port
            return address
          }
        })
    }
  }

  // MARK: - The system's resolver

  private static func lookUp(_ host: String) -> Result<[SocketAddress], any Error> {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, nil, &hints, &list)
    defer { if let list { freeaddrinfo(list) } }
    guard status == 0 else {
      let reason = status == EAI_SYSTEM ? String(cString: strerror(errno)) : String(cString: gai_strerror(status))
      return .failure(PeerFailure(.unreachable, "the name \(host) does not resolve: \(reason)"))
    }
    var found: [SocketAddress] = []
    var entry = list
    while let info = entry?.pointee, found.count < addressesMax {
      entry = info.ai_next
      guard let address = address(info, host), !found.contains(address) else { continue }
      found.append(address)
    }
    guard !found.isEmpty else {
      return .failure(PeerFailure(.unreachable, "the name \(host) does not resolve: it has no address"))
    }
    return .success(found)
  }

  private static func address(_ info: addrinfo, _ host: String) -> SocketAddress? {
    switch info.ai_family {
    case AF_INET:
      info.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
    case AF_INET6:
      info.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
    default: nil
    }
  }
}
