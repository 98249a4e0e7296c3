internal import StrictJSON

/// A command line about joining channels of others.
enum JoiningCommand: Hashable, Sendable {
  case plan(user: Int64, link: String)
  case prepare(user: Int64, full: String, short: String, data: JSONValue)
  case join(Int64, isIncognito: Bool)

  /// - Returns: `nil` if it is another command; then the scanner may have read a part of it, but none that others begin with.
  init?(_ scanner: inout CommandScanner) {
    if scanner.take("/_connect plan "), let user = scanner.number(), scanner.take(" ") {
      self = .plan(user: user, link: scanner.word())
    } else if scanner.take("/_prepare group "), let user = scanner.number(), scanner.take(" ") {
      let full = scanner.word()
      guard scanner.take(" ") else { return nil }
      let short = scanner.word()
      guard scanner.take(" direct=off "), let data = scanner.json() else { return nil }
      self = .prepare(user: user, full: full, short: short, data: data)
    } else if scanner.take("/_connect group #"), let group = scanner.number() {
      self = .join(group, isIncognito: scanner.take(" incognito=on"))
    } else {
      return nil
    }
  }

  /// The user whom the command names; nil if it means the active user.
  var user: Int64? {
    switch self {
    case .plan(let user, _), .prepare(let user, _, _, _): user
    case .join: nil
    }
  }
}
