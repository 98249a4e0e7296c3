internal import Glibc
internal import NIOConcurrencyHelpers

/// The sessions of this process.
final class SessionStore: Sendable {
  private let sessions = NIOLockedValueBox(Sessions())

  /// The current time. The clock includes the time in which the machine sleeps, so that a session ends after a night.
  static var now: Sessions.Moment {
    func read(_ clock: clockid_t) -> timespec {
      var time = timespec()
      clock_gettime(clock, &time)
      return time
    }
    let (boot, wall) = (read(CLOCK_BOOTTIME), read(CLOCK_REALTIME))
    return Sessions.Moment(
      seconds: Double(boot.tv_sec) + Double(boot.tv_nsec) / 1e9,
      wall: Int64(wall.tv_sec) * 1000 + Int64(wall.tv_nsec) / 1_000_000)
  }

  func mint(user: String, role: Sessions.Role) throws(Sessions.Refusal) -> String {
    try change { (sessions) throws(Sessions.Refusal) in try sessions.mint(user: user, role: role, now: Self.now) }
  }

  func knows(code: String) -> Bool { sessions.withLockedValue { $0.knows(code: code, now: Self.now) } }

  func exchange(code: String, browser: String) throws(Sessions.Refusal) -> String {
    try change { (sessions) throws(Sessions.Refusal) in
      try sessions.exchange(code: code, browser: browser, now: Self.now)
    }
  }

  func session(token: String, isUse: Bool) -> Sessions.Session? {
    sessions.withLockedValue { $0.session(token: token, isUse: isUse, now: Self.now) }
  }

  func all() -> [Sessions.Session] { sessions.withLockedValue { $0.all(now: Self.now) } }

  func end(id: String) -> Bool { sessions.withLockedValue { $0.end(id: id) } }

  func endAll(except id: String?) { sessions.withLockedValue { $0.endAll(except: id) } }

  private func change<Value>(
    _ body: (inout Sessions) throws(Sessions.Refusal) -> Value
  ) throws(Sessions.Refusal) -> Value {
    let result: Result<Value, Sessions.Refusal> = sessions.withLockedValue { sessions in
      do throws(Sessions.Refusal) { return .success(try body(&sessions)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
