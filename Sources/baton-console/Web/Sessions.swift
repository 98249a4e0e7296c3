internal import Cryptography

/// The people who are signed in: codes, which are exchanged once, and sessions, which expire. Nothing of this is stored.
struct Sessions: Sendable {
  /// The permissions of a session.
  enum Role: String, Hashable, Sendable {
    /// Looking only.
    case view
    /// Everything that the console itself may do.
    case change
  }

  /// A time, on a clock that no one can set, and on the clock that people read.
  struct Moment: Sendable {
    /// Seconds on a clock that never goes back.
    let seconds: Double
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let wall: Int64
  }

  /// Someone who is signed in.
  struct Session: Sendable {
    /// Names the session in lists, and reveals nothing of its token.
    let id: String
    let user: String
    let role: Role
    /// The browser that signed in, for people: its own words, cut.
    let browser: String
    let began: Moment
    fileprivate(set) var used: Moment
  }

  enum Refusal: Error, Hashable {
    /// The code was used, has expired, or never was one.
    case unknownCode
    /// Too many codes were requested. The value is the number of seconds until the next one.
    case tooManyCodes(retryAfter: Int)
    /// The largest number of sessions is reached.
    case tooManySessions
  }

  /// How long a code can be exchanged, in seconds.
  static let codeLifetime = 120.0
  /// How many codes one user may get in a minute.
  static let codesPerMinute = 10
  /// How long a session lasts, in seconds.
  static let lifetime = 8 * 3600.0
  /// How long an unused session lasts, in seconds. Automatic requests of pages do not count as use.
  static let idleMax = 3600.0
  static let sessionsMax = 256
  /// The largest number of sessions of one user. Another one ends the oldest.
  static let sessionsPerUserMax = 16

  private struct Code {
    let user: String
    let role: Role
    let minted: Double
  }

  private var codes: [[UInt8]: Code] = [:]
  private var mintings: [(user: String, at: Double)] = []
  private var sessions: [[UInt8]: Session] = [:]

  /// Makes a code that can be exchanged once for a session.
  mutating func mint(user: String, role: Role, now: Moment) throws(Refusal) -> String {
    codes = codes.filter { now.seconds - $0.value.minted < Self.codeLifetime }
    mintings.removeAll { now.seconds - $0.at >= 60 }
    let own = mintings.filter { $0.user == user }
    if own.count >= Self.codesPerMinute, let first = own.first {
      throw .tooManyCodes(retryAfter: max(1, Int((60 - (now.seconds - first.at)).rounded(.up))))
    }
    mintings.append((user, now.seconds))
    let code = Hex.random(bytes: 16)
    codes[Self.digest(code)] = Code(user: user, role: role, minted: now.seconds)
    return code
  }

  /// Whether a code can be exchanged. This does not use it up.
  func knows(code: String, now: Moment) -> Bool {
    codes[Self.digest(code)].map { now.seconds - $0.minted < Self.codeLifetime } ?? false
  }

  /// Exchanges a code for the token of a session.
  mutating func exchange(code: String, browser: String, now: Moment) throws(Refusal) -> String {
    let key = Self.digest(code)
    guard let found = codes[key], now.seconds - found.minted < Self.codeLifetime else { throw .unknownCode }
    forgetEnded(now)
    let own = sessions.filter { $0.value.user == found.user }
    if own.count >= Self.sessionsPerUserMax, let oldest = own.min(by: { $0.value.used.seconds < $1.value.used.seconds }) {
      sessions[oldest.key] = nil
    }
    // The code is not used up, so it works once there is room again.
    guard sessions.count < Self.sessionsMax else { throw .tooManySessions }
    codes[key] = nil
    let token = Hex.random(bytes: 32)
    sessions[Self.digest(token)] = Session(
      id: Hex.random(bytes: 6), user: found.user, role: found.role, browser: browser, began: now, used: now)
    return token
  }

  /// The session of a token.
  /// - Parameter isUse: whether the user does something. Pages that refresh themselves do not extend a session.
  mutating func session(token: String, isUse: Bool, now: Moment) -> Session? {
    let key = Self.digest(token)
    guard var session = sessions[key] else { return nil }
    guard Self.lives(session, now) else {
      sessions[key] = nil
      return nil
    }
    if isUse {
      session.used = now
      sessions[key] = session
    }
    return session
  }

  /// All sessions that have not ended, the newest first.
  mutating func all(now: Moment) -> [Session] {
    forgetEnded(now)
    return sessions.values.sorted { ($0.began.seconds, $0.id) > ($1.began.seconds, $1.id) }
  }

  /// Ends a session.
  /// - Returns: whether there was one.
  mutating func end(id: String) -> Bool {
    guard let key = sessions.first(where: { $0.value.id == id })?.key else { return false }
    sessions[key] = nil
    return true
  }

  /// Ends all sessions but one, and makes all codes useless.
  mutating func endAll(except id: String? = nil) {
    sessions = sessions.filter { $0.value.id == id }
    codes = [:]
  }

  /// The number of seconds after which a session ends if no one uses it.
  static func remaining(_ session: Session, now: Moment) -> Int {
    Int(max(0, min(lifetime - (now.seconds - session.began.seconds), idleMax - (now.seconds - session.used.seconds))))
  }

  private static func lives(_ session: Session, _ now: Moment) -> Bool {
    now.seconds - session.began.seconds < lifetime && now.seconds - session.used.seconds < idleMax
  }

  private mutating func forgetEnded(_ now: Moment) { sessions = sessions.filter { Self.lives($0.value, now) } }

  private static func digest(_ secret: String) -> [UInt8] { SHA256.digest(of: Array(secret.utf8)) }
}
