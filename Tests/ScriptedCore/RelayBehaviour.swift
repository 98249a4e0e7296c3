/// The behaviour of a relay once it is invited.
public indirect enum RelayBehaviour: Hashable, Sendable {
  /// Accepts, acknowledges the roster, is published.
  case good
  /// The same as another, but every step comes only at the `steps`-th turn after its own.
  case slow(steps: Int, RelayBehaviour)
  /// Stays invited forever.
  case silent
  /// Its address leads to nothing: a permanent error while inviting.
  case deadLink
  /// Its server does not answer: a temporary error while inviting.
  case unreachable
  /// Its address can be read, and then its server does not answer: a temporary error while inviting, and a row that stays new.
  case failsToJoin
  /// The invitation is sent and fails later.
  case failsLater
  /// Says no.
  case rejects
  /// Accepts, then finds fault with the roster.
  case rejectsRoster
  /// Its link belongs to another member: it stays invited, and the core only grumbles.
  case wrongEntity
  /// Becomes active, then leaves.
  case leaves
  /// Becomes active, then is missing in the published link.
  case losesLink
  /// Becomes active, then the connection to it fails for good.
  case breaks

  /// The stages after the invitation, in order.
  var stages: [CoreModel.Stage] {
    switch self {
    case .good: [.accept, .acknowledge, .publish]
    case .slow(_, let other): other.stages
    case .silent, .deadLink, .unreachable, .failsToJoin: []
    case .failsLater: [.fail]
    case .rejects: [.reject]
    case .rejectsRoster: [.accept, .rejectRoster]
    case .wrongEntity: [.mismatch]
    case .leaves: [.accept, .acknowledge, .publish, .leave, .publish]
    case .losesLink: [.accept, .acknowledge, .publish, .loseLink]
    case .breaks: [.accept, .acknowledge, .publish, .fail]
    }
  }

  /// Turns that pass before each stage.
  var wait: Int { if case .slow(let steps, _) = self { steps } else { 0 } }

  /// The failure while inviting.
  var invitationError: CoreErrors.Shape? {
    switch self {
    case .deadLink: .deadLink
    case .unreachable, .failsToJoin: .unreachable
    case .slow(_, let other): other.invitationError
    case .good, .silent, .failsLater, .rejects, .rejectsRoster, .wrongEntity, .leaves, .losesLink, .breaks: nil
    }
  }
}
