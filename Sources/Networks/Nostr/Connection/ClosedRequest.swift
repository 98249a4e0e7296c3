internal import Channels
internal import RelayNetwork

/// The meaning for readers of a REQ that the relay ended (CLOSED).
struct ClosedRequest {
  let trouble: Trouble
  /// When the relay may be asked again, or `nil` if it refuses for good.
  private let retryAfter: Duration?

  /// - Parameter text: the relay's words.
  init(_ text: String) {
    switch RelayAnswer(accepted: false, text: text, mayAuthenticate: false) {
    case .authenticate: (trouble, retryAfter) = (Trouble(.authRequired, text), nil)
    case .permanent: (trouble, retryAfter) = (Trouble(.rejected, text), nil)
    case .transient(isRateLimit: true): (trouble, retryAfter) = (Trouble(.rateLimited, text), .seconds(30))
    case .transient(isRateLimit: false): (trouble, retryAfter) = (Trouble(.storage, text), .seconds(5))
    // "duplicate" means that a request has this name already, and nothing about the relay's events.
    case .success, .unknown, .outdated:
      (trouble, retryAfter) = (Trouble(.rejected, text.isEmpty ? "the relay ended the request" : text), .seconds(30))
    }
  }

  /// The outcome for operations that the REQ has not decided.
  var outcome: RelayOutcome { retryAfter.map { .troubled(trouble, retryAfter: $0) } ?? .refused(trouble) }
}
