internal import Channels
internal import Storage

/// The answer to a request, which is given once the decision is durable; if its commit fails, a refusal is given in its place.
struct Answer: Equatable {
  /// Who gets it.
  enum Asker: Equatable {
    case channel(Reply<ChannelSnapshot>)
    case object(Reply<CatalogObject?>)
    case identity(Reply<IdentityRow>)
    case nothing(Reply<Void>)
  }

  enum Outcome: Equatable {
    /// The channel as it is then.
    case channel(ChannelID)
    /// The channel has changed since the revision that the request was based on.
    case stale(ChannelID)
    /// The object as it is then; `nil` if the request was about many.
    case object(CatalogReference?)
    case identity(IdentityRow)
    case done
    /// Done, whatever becomes of the commit.
    case doneAnyway
    case refused(BatonError)
  }

  let asker: Asker
  let outcome: Outcome
  /// The channel that the request is about.
  let channel: ChannelID?
  /// The request, which is decided once more if someone else has changed what it is about.
  let request: Engine.Input

  var isAboutCatalog: Bool {
    switch asker {
    case .object, .identity: true
    case .channel, .nothing: false
    }
  }
}
