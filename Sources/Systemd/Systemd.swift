internal import CSystemd
internal import Glibc

/// The parts of systemd's daemon interface that Baton uses. Everything does nothing, and succeeds, outside systemd.
public enum Systemd {
  /// Whether a manager listens for our state.
  public static var isManaged: Bool { getenv("NOTIFY_SOCKET") != nil }

  /// Tells the service manager our state (sd_notify).
  /// - Parameter assignments: for example `READY=1`; values must be one line.
  public static func notify(_ assignments: String...) {
    let clean = assignments.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
    sd_notify(0, clean.joined(separator: "\n"))
  }

  /// How often the watchdog wants a sign of life; nil when there is none.
  public static var watchdogInterval: Duration? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }

  /// The listening sockets that the manager handed over under `name`, closed on exec. Call it once, before other code opens files.
  public static func listenSockets(named name: String) -> [CInt] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = sd_listen_fds_with_names(1, &names)
    guard count > 0 else { return [] }
    var sockets: [CInt] = []
    for index in 0..<Int(count) {
      let descriptor = CInt(index) + 3
      let given = names?[index].map { String(cString: $0) } ?? ""
      free(names?[index])
      let isListening = sd_is_socket(descriptor, AF_UNIX, CInt(SOCK_STREAM.rawValue), 1) > 0
      if isListening, given == name || count == 1 { sockets.append(descriptor) } else { close(descriptor) }
    }
    free(names)
    return sockets
  }

  /// Whether standard error goes to the journal.
  public static var isStandardErrorJournal: Bool {
    guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }) else { return false }
    var status = stat()
    guard fstat(2, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}
