internal import Channels
internal import RelayNetwork
internal import Storage

/// The effects of a decision outside the engine. The decision lists them, and `Engine.carryOut` carries them out once its commit is over.
///
/// The order of obligations is the same for all decisions:
///
/// 1. Store: nothing below happens before the commit is durable. Then the next commit begins, if there are open decisions.
/// 2. Publish: the data that requests read (`RelayDirectory`), then the changes, to subscribers.
/// 3. Journal: summaries of past minutes, the entries of the decision, its changes.
/// 4. The engine's own inputs.
/// 5. Perform: keys of identities, tests in the background, cancelled operations, the relays that networks watch, operations.
/// 6. Reply.
///
/// After that channels that have nothing left to do are let go, requests get the number of those left, chores are stored in a separate
/// commit, and the engine waits for inputs or the next alarm.
///
/// If the commit fails, only effects that do not depend on it happen, in the same order: observations, tests, operations of earlier
/// decisions whose turn has come, and the replies, which are refusals.
struct Effects: Equatable {
  /// Publication to subscribers.
  enum Publication: Equatable {
    /// All changes after one revision. They bring subscribers up to another.
    case changes(after: Int64, through: Int64)
    /// No changes. Subscribers read everything up to this revision in the store.
    case missed(through: Int64)
  }

  /// A test of a relay or server.
  enum Examination: Equatable {
    case relay(NetworkKind, RelayAddress, identity: IdentityID, ProbeDepth)
    case server(ServerAddress)

    /// Whether it is a complete test.
    var isFull: Bool {
      switch self {
      case .relay(_, _, _, let depth): depth == .full
      case .server: true
      }
    }
  }

  /// A step with a test in the background.
  enum TestStep: Equatable {
    case start(Probed, address: String, Examination)
    case cancel(Probed)
    /// It has ended, and the engine has its result.
    case ended(Probed)
  }

  /// A step with the key of an identity.
  enum KeyStep: Equatable {
    case unlock(IdentityID, NetworkKind, IdentityKey)
    case lock(IdentityID, NetworkKind)
  }

  /// An operation of a channel that waits for a relay, and must not reach it any longer.
  struct Cancellation: Equatable {
    let network: NetworkKind
    let channel: ChannelID
    let relay: RelayID
  }

  /// An operation, and the network that performs it.
  struct Performance: Equatable {
    let network: NetworkKind
    let operation: RelayOperation
  }

  // Effects that need a durable commit.

  /// How many more or fewer channels each relay carries.
  var loads: [RelayID: Int] = [:]
  /// All identities. `nil` if they are unchanged.
  var identities: [IdentityRow]?
  /// The changes by revision.
  var changes: [Change] = []
  /// The channels among them that are new.
  var created: Set<ChannelID> = []
  /// The publication. `nil` if subscribers need nothing.
  var publication: Publication?
  var keys: [KeyStep] = []

  // Effects that do not depend on the commit.

  /// The entries in this order. Entries that do not report observations depend on the commit.
  var journal: [JournalEntry] = []
  /// The steps in this order.
  var tests: [TestStep] = []
  var cancellations: [Cancellation] = []
  /// How many channels each relay carries, counted again. `nil` if that was not done.
  var carried: [RelayID: Int]?
  /// Whether other relays must be watched, or the same ones at other addresses.
  var isWatchChanged = false
  /// Operations that may go to networks now, in this order.
  var operations: [Performance] = []
  /// The engine's own inputs, in this order.
  var inputs: [Engine.Input] = []

  /// Whether there are no effects.
  var isEmpty: Bool {
    journal.isEmpty && inputs.isEmpty && operations.isEmpty && cancellations.isEmpty && tests.isEmpty && keys.isEmpty
      && !isWatchChanged && carried == nil && changes.isEmpty && publication == nil && loads.isEmpty && identities == nil
      && created.isEmpty
  }

  /// Removes effects that depend on the commit.
  mutating func withhold() {
    (loads, identities, changes, created, publication, keys) = ([:], nil, [], [], nil, [])
    journal.removeAll { !$0.isHeard }
  }

  /// Appends effects that do not depend on the commit.
  mutating func add(_ later: Effects) {
    journal += later.journal
    tests += later.tests
    cancellations += later.cancellations
    carried = later.carried ?? carried
    isWatchChanged = isWatchChanged || later.isWatchChanged
    operations += later.operations
    inputs += later.inputs
  }
}
