internal import Channels
internal import Storage

/// What inputs ask of storage before anything is decided on them.
struct Reads: Equatable {
  /// A list of channels.
  enum Page: Hashable {
    case inStatus(RelayStatus, RelayID, after: ChannelID?, limit: Int)
    /// Channels that are due to be read back.
    case due(RelayID, at: Timestamp, limit: Int)
  }
  /// How many channels depend on something.
  enum Count: Hashable {
    /// Those that have the relay, or still have to tell it that they left.
    case dependents(RelayID)
    /// Those that have the relay.
    case members(RelayID)
    case owned(IdentityID)
  }
  /// Where a page of lost relays begins.
  struct Lost: Equatable {
    var before: Timestamp
    var after: ChannelRelayPlace?
    /// From when on replacements count.
    var since: Timestamp
  }
  /// Where a page of channels begins that a relay failed.
  struct Failed: Hashable {
    var relay: RelayID
    var before: Timestamp
    var after: ChannelID?
    /// How many of those that may have the relay again can be of use.
    var returnsMax: Int
  }
  struct Neighbour: Hashable {
    var channel: ChannelID
    var identity: IdentityID
    var relay: RelayID
  }

  /// What must be known when slots are gained or lost.
  struct Move: Equatable {
    /// The slots that are new; none if some are given up.
    var gained: SlotSet
    /// All that there are then.
    var slots: SlotSet
  }

  /// Lists cover only the channels in these slots.
  var slots = SlotSet.all
  /// Channels that are not awake.
  var channels: Set<ChannelID> = []
  /// Idempotency keys, by their bytes, as storage compares them.
  var keys: [[UInt8]: String] = [:]

  /// Channels of others that are to be followed.
  var names: Set<ChannelName> = []

  // Each list is asked in its order, which is that of the inputs; what it names twice is asked once.

  var pages: [Page] = []
  var counts: [Count] = []
  var lost: Lost?
  var failed: [Failed] = []
  var neighbours: [Neighbour] = []
  var move: Move?

  var isEmpty: Bool {
    var nothing = Reads()
    nothing.slots = slots
    return self == nothing
  }
}

/// What storage answered. What is missing could not be read, for the reason that `trouble` gives.
struct Facts {
  /// The channels that were asked for, and those that pages name.
  var channels = StoredChannels()
  /// Channels that could not be asked for.
  var unanswered: Set<ChannelID> = []
  /// The channels that were created with the keys; a key without a channel has `nil`.
  var keys: [[UInt8]: ChannelID?] = [:]
  /// The living channels that have these names.
  var names: [ChannelName: [ChannelID]] = [:]
  var pages: [Reads.Page: [ChannelID]] = [:]
  var counts: [Reads.Count: Int] = [:]
  var lost: [ChannelRelayPlace]?
  /// How many relays each channel with a lost relay has had replaced.
  var replacements: [ChannelID: Int] = [:]
  var failed: [RelayID: FailedPage] = [:]
  var neighbours: [Reads.Neighbour: ChannelID?] = [:]
  var move: Move?
  /// Why something could not be read; `nil` if everything was.
  var trouble: String?
  /// `nil` for the time of the inputs.
  var timeOfDay: Timestamp?

  /// What is stored when slots are gained or lost.
  struct Move {
    /// The highest ids, whoever gave them.
    var counters: StoreCounters
    /// What is stored of the catalog, if that comes with the slots.
    var catalog: StoredCatalog?
    /// How many channels each relay carries, in all slots that there are now.
    var loads: [RelayID: Int]
    /// Channels in the new slots with something left to do.
    var unfinished: [ChannelID]
  }

  /// Channels that a relay failed.
  struct FailedPage: Equatable {
    /// In order, each with whether it may have the relay again.
    var channels: [FailedChannel]
    /// Whether there are no more behind them.
    var isLast: Bool
  }

  struct FailedChannel: Equatable {
    var channel: ChannelID
    var mayReturn: Bool
  }
}

/// A relay of a channel.
struct ChannelRelayPlace: Hashable {
  var channel: ChannelID
  var relay: RelayID
}
