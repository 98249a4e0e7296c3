internal import Foundation
internal import Glibc
internal import Synchronization

/// A way to a server that can be cut in one direction or in both. What is sent meanwhile arrives once the way is whole again, as it does
/// where packets are lost; and no one is told, as no one is when a cable is pulled.
public final class Cuts: Sendable {
  public enum Direction: Hashable, Sendable, CaseIterable { case toServer, toClient }

  /// When so much more has passed.
  private struct Moment {
    let direction: Direction
    /// At least one.
    var bytes: Int
    /// What happens then; `nil` if this direction is cut.
    let action: (@Sendable () -> Void)?
  }

  /// What passes is the same for all connections.
  private final class Gate: Sendable {
    private struct State {
      var held: Set<Direction> = []
      var moment: Moment?
      var descriptors: Set<CInt> = []
      var isOver = false
    }

    private let state = Mutex(State())
    private let changed = NSCondition()

    func change(_ held: Set<Direction>, _ moment: Moment? = nil) {
      state.withLock { ($0.held, $0.moment) = (held, moment) }
      wake()
    }

    func end() {
      state.withLock { state in
        state.isOver = true
        for descriptor in state.descriptors { shutdown(descriptor, CInt(SHUT_RDWR)) }
      }
      wake()
    }

    private func wake() {
      changed.lock()
      changed.broadcast()
      changed.unlock()
    }

    /// - Returns: whether the connection may begin.
    func add(_ descriptors: [CInt]) -> Bool {
      state.withLock { state in
        if !state.isOver { state.descriptors.formUnion(descriptors) }
        return !state.isOver
      }
    }

    func remove(_ descriptors: [CInt]) {
      state.withLock { state in
        state.descriptors.subtract(descriptors)
        for descriptor in descriptors { close(descriptor) }
      }
    }

    /// Waits until something may pass.
    /// - Returns: how much of `count` bytes, of which there may be none; `nil` if all is over.
    func pass(_ count: Int, _ direction: Direction) -> Int? {
      changed.lock()
      defer { changed.unlock() }
      while true {
        let allowed = state.withLock { state -> Int?? in
          if state.isOver { return .some(nil) }
          guard !state.held.contains(direction) else { return nil }
          guard let moment = state.moment, moment.direction == direction else { return count }
          let part = min(moment.bytes, count)
          state.moment?.bytes -= part
          guard part == moment.bytes else { return part }
          state.moment = nil
          if let action = moment.action { action() } else { state.held = [direction] }
          return part
        }
        if let allowed { return allowed }
        changed.wait()
      }
    }
  }

  /// The port on loopback that clients use.
  public let port: Int
  private let gate = Gate()
  private let listener: CInt

  /// Where the server is.
  public enum Server: Sendable {
    /// The path of its Unix socket.
    case unix(String)
    /// Its port on loopback.
    case port(Int)
  }

  /// - Throws: `Program.Ended` if there is no port for it.
  public init(to server: Server) throws {
    port = Program.freePort()
    listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(port)
    var yes: CInt = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0, listen(listener, 128) == 0 else { throw Program.Ended(description: "no way on port \(port): \(errno)") }
    let (descriptor, gate) = (listener, gate)
    Thread.detachNewThread {
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else {
          // It is over, or this one was.
          if [EINVAL, EBADF].contains(errno) { break }
          continue
        }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        Self.connect(client, to: server, gate)
      }
      close(descriptor)
    }
  }

  deinit {
    shutdown(listener, CInt(SHUT_RDWR))
    gate.end()
  }

  /// Cuts these directions, at once.
  public func cut(_ directions: Set<Direction>) { gate.change(directions) }

  /// Cuts the way to the server once so many more bytes have passed there, whatever they are a part of.
  public func cut(afterBytes count: Int) { gate.change([], Moment(direction: .toServer, bytes: max(1, count), action: nil)) }

  /// Has something happen once so many more bytes have come from one side, before the last of them pass on.
  public func after(bytes count: Int, _ direction: Direction, _ action: @escaping @Sendable () -> Void) {
    gate.change([], Moment(direction: direction, bytes: max(1, count), action: action))
  }

  public func heal() { gate.change([]) }

  private static func connect(_ client: CInt, to place: Server, _ gate: Gate) {
    let server: CInt
    let isConnected: Bool
    switch place {
    case .unix(let path):
      server = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8.prefix($0.count - 1))) }
      isConnected = connect(server, &address)
    case .port(let port):
      server = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
      var address = loopback(port)
      isConnected = connect(server, &address)
    }
    guard isConnected, gate.add([client, server]) else {
      close(client)
      close(server)
      return
    }
    let open = Open(2)
    for (from, to, direction) in [(client, server, Direction.toServer), (server, client, .toClient)] {
      Thread.detachNewThread {
        pump(from, to, direction, gate)
        if open.decrement() == 0 { gate.remove([client, server]) }
      }
    }
  }

  private static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    return address
  }

  private static func connect<Address>(_ descriptor: CInt, _ address: inout Address) -> Bool {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    } == 0
  }

  /// Counts the directions of a connection that are still open.
  private final class Open: Sendable {
    private let count: Mutex<Int>
    init(_ count: Int) { self.count = Mutex(count) }
    func decrement() -> Int {
      count.withLock {
        $0 -= 1
        return $0
      }
    }
  }

  private static func pump(_ from: CInt, _ to: CInt, _ direction: Direction, _ gate: Gate) {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(from, &chunk, chunk.count)
      guard count > 0 else { break }
      var sent = 0
      while sent < count {
        guard let part = gate.pass(count - sent, direction) else { return }
        let end = sent + part
        while sent < end {
          let written = chunk.withUnsafeBytes { send(to, $0.baseAddress.map { $0 + sent }, end - sent, CInt(MSG_NOSIGNAL)) }
          guard written > 0 else {
            shutdown(from, CInt(SHUT_RDWR))
            return
          }
          sent += written
        }
      }
    }
    // No one hears of an end through a way that is cut.
    guard gate.pass(0, direction) != nil else { return }
    shutdown(to, CInt(SHUT_WR))
  }
}
