internal import Channels
internal import Storage

/// The answer to a request, which is sent once the decision is durable. If its commit fails, a refusal is sent instead.
struct Answer: Equatable {
  /// The reply that receives it.
  enum Asker: Equatable {
    case channel(Reply<ChannelSnapshot>)
    case object(Reply<CatalogObject?>)
    case identity(Reply<IdentityRow>)
    case nothing(Reply<Void>)
  }

  enum Outcome: Equatable {
    /// The channel after the commit.
    case channel(ChannelID)
    /// The channel has changed since the revision that the request was based on.
    case stale(ChannelID)
    /// The object after the commit. `nil` if the request was about many.
    case object(CatalogReference?)
    case identity(IdentityRow)
    case done
    /// Done, whether or not the commit succeeds.
    case doneAnyway
    case refused(BatonError)
  }

  let asker: Asker
  let outcome: Outcome
  /// The channel that the request is about.
  let channel: ChannelID?
  /// The request, which is decided again if another process has changed its object.
  let request: Engine.Input

  var isAboutCatalog: Bool {
    switch asker {
    case .object, .identity: true
    case .channel, .nothing: false
    }
  }
}
