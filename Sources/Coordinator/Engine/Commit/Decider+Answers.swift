internal import Channels
internal import Storage

// Answers to requests follow from the durable state when they are sent.
extension Decider {
  /// - Returns: `nil` if the outcome is not about a channel.
  func channel(in outcome: Answer.Outcome) -> Result<ChannelSnapshot, BatonError>? {
    switch outcome {
    case .channel(let id): snapshot(id).map(Result.success) ?? .failure(.noSuchChannel(id))
    case .stale(let id): .failure(snapshot(id).map(BatonError.staleChannel) ?? .noSuchChannel(id))
    case .object, .identity, .done, .doneAnyway, .refused: nil
    }
  }

  /// - Returns: `nil` if the outcome is not about an operator, server or relay.
  func object(in outcome: Answer.Outcome) -> Result<CatalogObject?, BatonError>? {
    guard case .object(let reference) = outcome else { return nil }
    return .success(reference.flatMap { base.catalog[$0] })
  }

  /// Replaces the object in a refusal by its current state.
  func current(_ error: BatonError) -> BatonError {
    guard case .staleRevision(let object) = error, let object = base.catalog[object.reference] else { return error }
    return .staleRevision(current: object)
  }
}
