internal import Channels
internal import RelayNetwork
internal import Storage

/// The effects of a decision outside the engine. Deciding does none of it: it is noted here, and `Engine.carryOut` does it once the commit
/// of the decision is over.
///
/// The order of obligations is the same for all decisions:
///
/// 1. Store: nothing below happens before the commit is durable. Then the next commit begins, if something has been decided since.
/// 2. Publish: what requests read (`RelayDirectory`), then the changes, to those who watch.
/// 3. Journal: what was left out in the minutes that are over, the entries of the decision, its changes.
/// 4. Inputs of the engine's own.
/// 5. Perform: keys of identities, tests in the background, what networks take back, which relays they watch, their operations.
/// 6. Reply.
///
/// After that channels that have nothing left to do are let go, requests are told how many are left, what no one waits for is stored in a
/// commit of its own, and the engine waits for inputs or the next alarm.
///
/// If the commit fails, only what holds in any case happens, in the same order: what was learned from outside, tests, operations of earlier
/// decisions whose turn has come, and the replies, which then refuse.
struct Effects: Equatable {
  /// What subscribers get.
  enum Publication: Equatable {
    /// All changes after one revision; with them subscribers have everything up to another.
    case changes(after: Int64, through: Int64)
    /// No changes; subscribers read in the store what happened up to this revision.
    case missed(through: Int64)
  }

  /// A test of a relay or server.
  enum Examination: Equatable {
    case relay(NetworkKind, RelayAddress, identity: IdentityID, ProbeDepth)
    case server(ServerAddress)

    /// Whether it tests all that there is to test.
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
    /// The engine knows how it ended.
    case ended(Probed)
  }

  /// A step with the key of an identity.
  enum KeyStep: Equatable {
    case unlock(IdentityID, NetworkKind, IdentityKey)
    case lock(IdentityID, NetworkKind)
  }

  /// A channel that waits for a relay, which must not get it any more.
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

  // What holds only once the commit is durable.

  /// How many more or fewer channels each relay carries.
  var loads: [RelayID: Int] = [:]
  /// All identities; `nil` if they stay as they are.
  var identities: [IdentityRow]?
  /// The changes by revision.
  var changes: [Change] = []
  /// The channels among them that are new.
  var created: Set<ChannelID> = []
  /// What is published; `nil` if there is nothing that subscribers have to know.
  var publication: Publication?
  var keys: [KeyStep] = []

  // What holds in any case.

  /// The entries in this order; those that do not report what was learned from outside hold only with the commit.
  var journal: [JournalEntry] = []
  /// The steps in this order.
  var tests: [TestStep] = []
  var cancellations: [Cancellation] = []
  /// How many channels each relay carries, counted again; `nil` if that was not done.
  var carried: [RelayID: Int]?
  /// Whether other relays must be watched, or the same ones at other addresses.
  var isWatchChanged = false
  /// What may go to networks now, in this order.
  var operations: [Performance] = []
  /// Inputs of the engine's own, in this order.
  var inputs: [Engine.Input] = []

  /// Whether nothing follows.
  var isEmpty: Bool {
    journal.isEmpty && inputs.isEmpty && operations.isEmpty && cancellations.isEmpty && tests.isEmpty && keys.isEmpty
      && !isWatchChanged && carried == nil && changes.isEmpty && publication == nil && loads.isEmpty && identities == nil
      && created.isEmpty
  }

  /// Leaves only what holds in any case.
  mutating func withhold() {
    (loads, identities, changes, created, publication, keys) = ([:], nil, [], [], nil, [])
    journal.removeAll { !$0.isHeard }
  }

  /// Appends what holds in any case.
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
