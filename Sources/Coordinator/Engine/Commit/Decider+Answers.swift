internal import Channels
internal import Storage

// The answers to requests, by what is durable when they are given.
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

  /// A refusal that shows an object, with the object as it is now.
  func current(_ error: BatonError) -> BatonError {
    guard case .staleRevision(let object) = error, let object = base.catalog[object.reference] else { return error }
    return .staleRevision(current: object)
  }
}
