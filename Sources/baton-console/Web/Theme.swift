internal import Hummingbird

/// Light, dark, or the system's setting.
enum Theme: String, CaseIterable {
  case system, light, dark

  static let cookie = "baton-theme"

  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  init(_ request: Request) { self = request.cookies[Self.cookie].flatMap { Theme(rawValue: $0.value) } ?? .system }

  /// The cookie that keeps only the choice, for a year.
  var field: String { "\(Self.cookie)=\(rawValue); Path=/; Max-Age=31536000; SameSite=Strict; HttpOnly" }
}
