/// What the client of a core has to say, in the order in which it happened.
public enum CoreReport: Hashable, Sendable {
  /// The connection stands and the core answered who it is. What was missed while it was down must be asked for now.
  /// - user: the active user; nil when the core has none.
  case up(CoreVersion, user: CoreUser?)
  /// There is no connection any more, or none could be made; said again only when the reason changes. Every command that was
  /// under way has had its answer before.
  case down(reason: String)
  /// What the core said by itself. Events may come before `up`: they waited in the core.
  case event(CoreEvent)
  /// How a command went; exactly one for each that was submitted.
  case reply(CoreRequestID, Result<CoreReply, CoreFailure>)
}

/// The caller's own number for a command; comes back with the answer.
public struct CoreRequestID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number.
  public let rawValue: Int

  /// - Parameter rawValue: any number.
  public init(rawValue: Int) { self.rawValue = rawValue }

  public var description: String { String(rawValue) }
}
