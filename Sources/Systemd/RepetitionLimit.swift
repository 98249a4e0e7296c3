public import Logging
internal import Synchronization

/// A limit on the messages from one place in the program. Messages beyond it are counted and not logged, so that a client or a fault that
/// recurs all the time does not fill the log.
public final class RepetitionLimit: Sendable {
  private struct Window {
    let begin: ContinuousClock.Instant
    var count = 0
    var latest: LogEvent?
  }
  private let windows = Mutex<[String: Window]>([:])
  private let countMax: Int
  private let span: Duration
  private let limited: Set<String>
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameters:
  ///   - countMax: how many messages of one place are logged within `span`.
  ///   - limited: kinds of events (`MESSAGE_ID`) that are limited too. All other events are logged.
  public init(
    countMax: Int = 20, span: Duration = .seconds(60), limited: Set<String> = [],
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.countMax = countMax
    self.span = span
    self.limited = limited
    self.now = now
  }

  /// Whether to log `event`, and the messages that were left out since: the latest one of each place and their number.
  func admit(_ event: LogEvent, _ metadata: Logger.Metadata) -> (isAdmitted: Bool, leftOut: [(LogEvent, Int)]) {
    let now = now()
    return windows.withLock { windows in
      var leftOut: [(LogEvent, Int)] = []
      for (place, window) in windows where now - window.begin >= span {
        if let latest = window.latest { leftOut.append((latest, window.count - countMax)) }
        windows[place] = nil
      }
      var place = "\(event.file):\(event.line)"
      if let id = metadata["MESSAGE_ID"] {
        place = "\(id)"
        guard limited.contains(place) else { return (true, leftOut) }
      } else if event.level < .warning {
        return (true, leftOut)
      }
      var window = windows[place] ?? Window(begin: now)
      window.count += 1
      let isAdmitted = window.count <= countMax
      if !isAdmitted { window.latest = event }
      windows[place] = window
      return (isAdmitted, leftOut)
    }
  }
}

/// Passes on the messages that `RepetitionLimit` admits.
public struct LimitedLogHandler: LogHandler {
  private var inner: any LogHandler
  private let limit: RepetitionLimit

  public init(_ inner: any LogHandler, limit: RepetitionLimit) {
    self.inner = inner
    self.limit = limit
  }

  public var logLevel: Logger.Level {
    get { inner.logLevel }
    set { inner.logLevel = newValue }
  }

  public var metadata: Logger.Metadata {
    get { inner.metadata }
    set { inner.metadata = newValue }
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { inner[metadataKey: key] }
    set { inner[metadataKey: key] = newValue }
  }

  public func log(event: LogEvent) {
    let (isAdmitted, leftOut) = limit.admit(event, event.metadata ?? [:])
    for (var latest, count) in leftOut {
      latest.message = "\(count) more messages like this one were left out: \(latest.message)"
      inner.log(event: latest)
    }
    if isAdmitted { inner.log(event: event) }
  }
}
