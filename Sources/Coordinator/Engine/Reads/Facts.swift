internal import Channels
internal import Storage

/// The reads that inputs need from storage before they are decided.
struct Reads: Equatable {
  /// A list of channels.
  enum Page: Hashable {
    case inStatus(RelayStatus, RelayID, after: ChannelID?, limit: Int)
    /// Channels that are due to be read back.
    case due(RelayID, at: Timestamp, limit: Int)
  }
  /// A number of channels that depend on an object.
  enum Count: Hashable {
    /// The channels that have the relay, or still have to tell it that they left.
    case dependents(RelayID)
    /// The channels that have the relay.
    case members(RelayID)
    case owned(IdentityID)
  }
  /// The beginning of a page of lost relays.
  struct Lost: Equatable {
    var before: Timestamp
    var after: ChannelRelayPlace?
    /// The time since which replacements count.
    var since: Timestamp
  }
  /// The beginning of a page of channels that a relay failed.
  struct Failed: Hashable {
    var relay: RelayID
    var before: Timestamp
    var after: ChannelID?
    /// The maximum number of useful channels that may have the relay again.
    var returnsMax: Int
  }
  struct Neighbour: Hashable {
    var channel: ChannelID
    var identity: IdentityID
    var relay: RelayID
  }

  /// A gain or loss of slots.
  struct Move: Equatable {
    /// The new slots. Empty if slots are given up.
    var gained: SlotSet
    /// All slots after it.
    var slots: SlotSet
  }

  /// Lists cover only the channels in these slots.
  var slots = SlotSet.all
  /// Channels that are not awake.
  var channels: Set<ChannelID> = []
  /// Idempotency keys, by their bytes, as storage compares them.
  var keys: [[UInt8]: String] = [:]

  /// Names of channels to follow.
  var names: Set<ChannelName> = []

  // Each list is read once, in the order of the inputs.

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

/// The answers of storage. A missing answer could not be read, for the reason in `trouble`.
struct Facts {
  /// The channels that inputs and pages need.
  var channels = StoredChannels()
  /// Channels whose read failed.
  var unanswered: Set<ChannelID> = []
  /// The channels that were created with the keys. `nil` for a key without a channel.
  var keys: [[UInt8]: ChannelID?] = [:]
  /// The channels with these names that were not deleted.
  var names: [ChannelName: [ChannelID]] = [:]
  var pages: [Reads.Page: [ChannelID]] = [:]
  var counts: [Reads.Count: Int] = [:]
  var lost: [ChannelRelayPlace]?
  /// The number of replaced relays of each channel with a lost relay.
  var replacements: [ChannelID: Int] = [:]
  var failed: [RelayID: FailedPage] = [:]
  var neighbours: [Reads.Neighbour: ChannelID?] = [:]
  var move: Move?
  /// The reason if a read failed.
  var trouble: String?
  /// `nil` for the time of the inputs.
  var timeOfDay: Timestamp?

  /// The stored state at a gain or loss of slots.
  struct Move {
    /// The highest ids of all daemons.
    var counters: StoreCounters
    /// The stored catalog, if its slot is among the new ones.
    var catalog: StoredCatalog?
    /// How many channels each relay carries, in all current slots.
    var loads: [RelayID: Int]
    /// Channels in the new slots with something left to do.
    var unfinished: [ChannelID]
  }

  /// Channels that a relay failed.
  struct FailedPage: Equatable {
    /// In order. Each shows whether it may have the relay again.
    var channels: [FailedChannel]
    /// Whether no more channels follow them.
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
