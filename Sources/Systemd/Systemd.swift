internal import CSystemd
internal import Glibc

/// The parts of systemd's daemon interface that Baton uses. Outside systemd every function does nothing, and succeeds.
public enum Systemd {
  /// Whether a service manager asks for our state.
  public static var isManaged: Bool { getenv("NOTIFY_SOCKET") != nil }

  /// Sends our state to the service manager (sd_notify).
  /// - Parameter assignments: for example `READY=1`. Each value must be one line.
  public static func notify(_ assignments: String...) {
    sd_notify(0, message(assignments))
  }

  /// The message to the service manager: one line for each assignment, even if its text has several.
  static func message(_ assignments: [String]) -> String {
    assignments.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }.joined(separator: "\n")
  }

  /// The interval at which the watchdog expects a notification, or `nil` if there is no watchdog.
  public static var watchdogInterval: Duration? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }

  /// Unix stream sockets that were handed over.
  public struct Sockets: Hashable, Sendable {
    /// Sockets that listen.
    public var listening: [CInt] = []
    /// Sockets that are connections already: the program at the other end started this one in order to talk to it.
    public var connected: [CInt] = []

    public init() {}

    public var isEmpty: Bool { listening.isEmpty && connected.isEmpty }
  }

  /// The sockets that the manager, or an `exec:` address of a Varlink client, handed over under `name`, closed on exec. A single socket may
  /// have any name. All other descriptors that were handed over are closed. Call this once.
  public static func sockets(named name: String) -> Sockets {
    var sockets = Sockets()
    let all = handedOver()
    for (given, descriptor) in all {
      func isSocket(listening: CInt) -> Bool { sd_is_socket(descriptor, AF_UNIX, CInt(SOCK_STREAM.rawValue), listening) > 0 }
      switch given == name || all.count == 1 {
      case true where isSocket(listening: 1): sockets.listening.append(descriptor)
      case true where isSocket(listening: 0): sockets.connected.append(descriptor)
      default: close(descriptor)
      }
    }
    return sockets
  }

  /// All sockets that listen and were handed over, with their names. Other descriptors that were handed over are closed. Call this once,
  /// and not together with `sockets(named:)`.
  public static func listeners() -> [(name: String, socket: CInt)] {
    handedOver().compactMap { name, descriptor in
      if sd_is_socket(descriptor, AF_UNSPEC, CInt(SOCK_STREAM.rawValue), 1) > 0 { return (name, descriptor) }
      close(descriptor)
      return nil
    }
  }

  /// The descriptors that were handed over, with their names, closed on exec.
  private static func handedOver() -> [(name: String, descriptor: CInt)] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = sd_listen_fds_with_names(1, &names)
    guard count > 0 else { return [] }
    defer { free(names) }
    return (0..<Int(count)).map { index in
      defer { free(names?[index]) }
      return (names?[index].map { String(cString: $0) } ?? "", CInt(index) + 3)
    }
  }

  /// Whether standard error goes to the journal.
  public static var isStandardErrorJournal: Bool {
    guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
    var status = stat()
    guard fstat(2, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}
