internal import Channels
internal import Storage

/// What became of storage that did not work, and what is owed to it.
struct Recovery {
  /// Why storage does not work; nil: it does.
  private(set) var trouble: String?
  /// Channels whose last change could not be stored, or which could not be read; they are read again.
  private(set) var channels: Set<ChannelID> = []
  /// Relays and servers whose health is known but could not be stored yet.
  private(set) var objects: Set<CatalogReference> = []
  /// There while it is not known what is durable, because the latest commit failed.
  var doubt: DoubtfulCommit?

  /// Whether nothing is owed and storage works.
  var isOver: Bool { trouble == nil && channels.isEmpty && objects.isEmpty }

  /// Storage did not do what it was asked for.
  /// - Returns: whether it worked before.
  mutating func failed(_ reason: String) -> Bool {
    defer { trouble = reason }
    return trouble == nil
  }

  /// Storage did what it was asked for.
  /// - Returns: whether it works again; not as long as channels have to be read.
  mutating func succeeded() -> Bool {
    guard channels.isEmpty else { return false }
    trouble = nil
    return true
  }

  mutating func owe(_ some: some Sequence<ChannelID>) { channels.formUnion(some) }
  mutating func owe(_ object: CatalogReference) { objects.insert(object) }

  /// Takes channels that are read now, at most so many, in order.
  mutating func takeChannels(_ max: Int) -> [ChannelID] {
    let some = channels.prefix(max).sorted()
    channels.subtract(some)
    return some
  }

  /// Takes all relays and servers that are stored now, in order.
  mutating func takeObjects() -> [CatalogReference] {
    defer { objects = [] }
    return objects.sorted()
  }

  /// It is known what is durable: later channels there are none.
  mutating func settle(latest: Int64) {
    doubt = nil
    channels = channels.filter { $0.rawValue <= latest }
  }
}

/// A commit that failed and may have become durable all the same: the answer was lost, the write was not. Its requests were refused.
struct DoubtfulCommit {
  /// What holds if it is durable.
  let withheld: Effects

  /// What follows from it now that it is known to be durable. What holds in any case was done when it failed.
  /// - Parameters:
  ///   - revision: the latest that is durable.
  ///   - identities: as they are stored. Keys of new ones are there after the next start.
  func effects(through revision: Int64, identities: [IdentityRow]) -> Effects {
    var effects = Effects()
    effects.identities = identities
    effects.journal = [
      JournalEntry(level: .warning, message: "a commit that failed is durable; going on from revision \(revision)")
    ]
    effects.journal += withheld.journal
    (effects.changes, effects.created) = (withheld.changes, withheld.created)
    effects.loads = withheld.loads
    // Subscribers have not heard of it: they read it in the store.
    effects.publication = .missed(through: revision)
    return effects
  }
}
