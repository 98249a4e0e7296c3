internal import HTTPTypes

extension HTTPField.Name {
  static let lastEventID = named("Last-Event-ID")
  static let xAccelBuffering = named("X-Accel-Buffering")
  static let secFetchSite = named("Sec-Fetch-Site")
  static let xContentTypeOptions = named("X-Content-Type-Options")
  static let referrerPolicy = named("Referrer-Policy")
  static let crossOriginOpenerPolicy = named("Cross-Origin-Opener-Policy")
  static let crossOriginResourcePolicy = named("Cross-Origin-Resource-Policy")
  /// The user whom a reverse proxy has signed in.
  static let xRemoteUser = named("X-Remote-User")
  /// Sent by pages that load themselves again after a change.
  static let batonRefresh = named("Baton-Refresh")

  /// The number of seconds after which an unused session ends.
  static let batonSessionEnds = named("Baton-Session-Ends")

  private static func named(_ text: String) -> Self {
    guard let name = Self(text) else { preconditionFailure("\(text) is not the name of a field") }
    return name
  }
}
