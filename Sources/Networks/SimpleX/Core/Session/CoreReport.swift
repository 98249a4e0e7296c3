/// A report of the client of a core. Reports come in the order in which things happened.
public enum CoreReport: Hashable, Sendable {
  /// The connection is open and the core has identified itself. Ask now for everything that was missed while it was down.
  /// - user: the active user, or `nil` if the core has no user.
  case up(CoreVersion, user: CoreUser?)
  /// The connection is gone, or could not be opened. This is repeated only if the reason changes. Every command that was under way has been
  /// answered before.
  case down(reason: String)
  /// An event of the core. Events that waited in the core may come before `up`.
  case event(CoreEvent)
  /// The outcome of a command. There is exactly one for each submitted command.
  case reply(CoreRequestID, Result<CoreReply, CoreFailure>)
}

/// The caller's own number for a command, which is returned with the answer.
public struct CoreRequestID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number.
  public let rawValue: Int

  /// - Parameter rawValue: any number.
  public init(rawValue: Int) { self.rawValue = rawValue }

  public var description: String { String(rawValue) }
}
