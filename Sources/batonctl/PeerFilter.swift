internal import ArgumentParser
internal import StrictJSON

/// The options that select relays or servers for a list.
struct PeerFilter: ParsableArguments {
  @Option(
    help: "Only this health: unknown, up, degraded or down. May be repeated.", completion: .list(Words.healths),
    transform: Words.one(of: Words.healths))
  var health: [String] = []
  @Option(
    help: "Only this operator, by id or name, or own for no operator.",
    completion: .names(of: .provider, or: ["own"]))
  var `operator`: String?
  @Flag var enablement: Enablement?

  /// The conditions that objects must meet, with `nil` in place of each option that was not given.
  func conditions(_ session: Session) async throws -> [JSONValue?] {
    [Words.condition("health", health), try await session.ownership(self.operator), enablement?.condition]
  }
}
