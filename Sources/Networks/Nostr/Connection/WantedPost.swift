internal import Channels
internal import RelayNetwork

/// A post that is read back, and the events that the relay has served of it. In a group each attempt to publish it was a separate event,
/// and any of these is the post.
struct WantedPost: Sendable {
  let operation: DeliveryOperation
  /// The ids of the events that are the post, the best last.
  let ids: [String]
  /// The post of a group, or `nil` in channels, and once it is forgotten.
  private let group: GroupPost?
  /// The kind that it must have in a group, or `nil` in channels.
  private let kind: Int?
  /// The place among `ids` of the best event that was found.
  private var found: Int?
  /// The fault of an event that was served.
  private var flaw: Trouble?

  /// - Returns: `nil` if the operation is not about a post.
  init?(_ item: SessionOperation) {
    guard let operation = item.delivery else { return nil }
    self.operation = operation
    group = item.group
    kind = item.names?.kind
    ids = item.names.map { $0.attempts.map(\.id) } ?? [operation.document.networkID]
  }

  /// The size of the events that may come, in bytes.
  var bytes: Int { operation.document.text.utf8.count * ids.count }

  var isFound: Bool { found != nil }

  /// Whether nothing better can come.
  var isDecided: Bool { found == ids.count - 1 || flaw != nil && ids.count == 1 }

  /// Records an event that the relay serves, if it is one of these.
  mutating func take(_ event: NostrEvent) {
    guard let place = ids.lastIndex(of: event.id) else { return }
    if let trouble = trouble(with: event) {
      flaw = trouble
    } else {
      found = max(place, found ?? 0)
    }
  }

  /// The report of the post.
  /// - Parameter outcome: the outcome if nothing was served of the post.
  func report(otherwise outcome: DeliveryOutcome) -> NetworkReport {
    if let found { return operation.report(.verified(edition: 1), form: group?.found(ids[found]).document) }
    if let flaw, outcome == .missing { return operation.report(.refused(flaw)) }
    return operation.report(outcome)
  }

  /// The fault of an event that is served under an id of the post, or `nil` if it is genuine. An event with its id also has its content.
  private func trouble(with event: NostrEvent) -> Trouble? {
    let document = operation.document
    do throws(NostrEvent.Flaw) {
      // In a channel the document is exactly the event that was signed.
      try event.verify(unlessItIs: kind == nil ? document.text : nil)
    } catch {
      return Trouble(.wrongIdentity, "the relay serves a forgery of the post: \(error.rawValue)")
    }
    guard event.publicKey == document.author else {
      return Trouble(.wrongIdentity, "the post that the relay serves is signed by someone else")
    }
    guard kind ?? event.kind == event.kind else {
      return Trouble(
        .wrongIdentity, "the relay serves an event of kind \(event.kind) as the post, which has another kind")
    }
    return nil
  }
}
