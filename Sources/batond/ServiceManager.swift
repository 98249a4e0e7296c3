internal import Channels
internal import ControlServer
internal import Coordinator
internal import Glibc
internal import Logging
internal import Systemd

/// Reports the condition of the daemon to the service manager.
struct ServiceManager: Sendable {
  let logger: Logger
  private let clock: any CoordinatorClock
  private let notify: @Sendable (String) -> Void

  init(
    logger: Logger, clock: any CoordinatorClock = SystemClock(),
    notify: @escaping @Sendable (String) -> Void = { Systemd.notify($0) }
  ) {
    self.logger = logger
    self.clock = clock
    self.notify = notify
  }

  /// Asks for more time, repeatedly, while `work` runs. Upgrading a large database may take longer than the time limit of a start.
  func whileStarting<T: Sendable>(_ work: () async throws -> T) async rethrows -> T {
    let asking = Task {
      for _ in 0..<Self.startMinutesMax * 60 / Self.extensionSeconds {
        guard (try? await clock.sleep(until: clock.now + .seconds(Self.extensionSeconds))) != nil else { return }
        notify("EXTEND_TIMEOUT_USEC=\((Self.extensionSeconds + 20) * 1_000_000)")
      }
    }
    defer { asking.cancel() }
    return try await work()
  }

  private static let extensionSeconds = 10
  private static let startMinutesMax = 60

  /// Reports that the daemon ends because of `error`.
  static func failed(_ error: any Error, status: Int32) {
    Systemd.notify("STATUS=\(error)", "EXIT_STATUS=\(status)", "ERRNO=\(errorNumber(of: status))")
  }

  /// The system error that comes closest.
  private static func errorNumber(of status: Int32) -> CInt {
    switch status {
    case ExitStatus.data: EBADMSG
    case ExitStatus.lost: ENOENT
    case ExitStatus.inputOutput: EIO
    case ExitStatus.temporary: EBUSY
    case ExitStatus.permission: EACCES
    case ExitStatus.configuration: EINVAL
    default: EPROTO
    }
  }

  /// Reports why a starting daemon waits.
  static func waiting(_ words: String) { Systemd.notify("STATUS=\(words)") }

  /// - Parameter summary: the condition of the daemon in one line.
  func ready(_ summary: String) { Systemd.notify("READY=1", "STATUS=\(summary)") }

  func stopping(_ reason: String) {
    logger.event(.stopping, .notice, "stopping: \(reason)")
    Systemd.notify("STOPPING=1", "STATUS=stopping")
  }

  func reloading() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    Systemd.notify("RELOADING=1", "MONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
  }

  /// Reports the condition of the daemon when it has changed, at most every few seconds.
  func keepStatus(_ server: ControlServer) async {
    guard Systemd.isManaged else { return }
    var told = ""
    var wait = Duration.seconds(2)
    while (try? await clock.sleep(until: clock.now + wait)) != nil {
      let started = clock.now
      // The status also covers conditions that are not committed changes, such as files with errors.
      guard let summary = try? await server.summary(), summary != told else { continue }
      told = summary
      // Counting a large database needs time, but must not use more than a twentieth of all time.
      wait = max(.seconds(2), (clock.now - started) * 20)
      Systemd.notify("STATUS=\(summary)")
    }
  }

  /// Notifies the watchdog only after a round trip through coordinator and store. If one of them hangs, systemd restarts the daemon. A
  /// store that reports why it cannot write does not hang.
  /// - Parameters:
  ///   - interval: how often the service manager expects a notification, or `nil` for never.
  ///   - heartbeat: makes the round trip.
  func feedWatchdog(
    every interval: Duration? = Systemd.watchdogInterval, _ heartbeat: () async throws(BatonError) -> Void
  ) async {
    guard let interval else { return }
    while (try? await clock.sleep(until: clock.now + interval / 2)) != nil {
      let warning = Task {
        guard (try? await clock.sleep(until: clock.now + interval / 3)) != nil else { return }
        logger.event(
          .notAnswering, .error, "the coordinator or the store makes no progress. If this lasts, systemd restarts the daemon")
      }
      defer { warning.cancel() }
      do throws(BatonError) {
        try await heartbeat()
      } catch {
        guard case .storageUnavailable = error else { continue }
      }
      notify("WATCHDOG=1")
    }
  }
}
