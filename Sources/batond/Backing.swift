internal import Channels
internal import ControlServer
internal import Coordinator
internal import PostgreSQLStore
internal import Storage
internal import Store

/// The place where a daemon keeps channels: a store in a file of its own, or a store that several daemons share.
struct Backing: Sendable {
  /// For channels and for posts. Each has a separate thread or connection, so that neither waits for the other's queries.
  let storage: any CoordinatorStorage
  let posts: any PostStorage & CoordinatorStorage
  /// For other parts that work on channels next to the coordinator.
  let known: any KnownChannelStorage
  let postChanges: any PostChangeReading
  /// For people's decisions about messages.
  let decisions: any DecisionStorage
  /// The data that clients read, on these threads, together with messages from their separate database.
  let control: @Sendable (any BlockingWork, MessageDatabase) -> any ControlStorage & PostReading
  let secrets: SecretBox
  /// Varies the times of retries and choices.
  let seed: UInt64
  /// Whether the daemon may publish at this moment.
  let mayAct: @Sendable () -> Bool
  /// The additional parts if several daemons share the store.
  var shared: SharedSession?
  /// Maintenance of the store while the daemon runs.
  var care: (@Sendable () async -> Void)?
}

extension Backing {
  /// A store in a file.
  init(_ store: Store, secrets: SecretBox, clock: any CoordinatorClock, schedule: ScrubSchedule) throws {
    self.init(
      storage: CoordinatorStore(store), posts: CoordinatorStore(store), known: KnownChannelStore(store),
      postChanges: CoordinatorStore(store), decisions: CoordinatorStore(store),
      control: { threads, _ in ControlStore(store, on: threads) }, secrets: secrets,
      seed: try store.installationSeed { .random(in: 0 ... .max) },
      mayAct: { true }, shared: nil,
      care: { await StoreCare(store: store, clock: clock, schedule: schedule).run() })
  }

  /// The store of a session.
  init(_ session: SharedSession, secrets: SecretBox) {
    let store = session.store
    self.init(
      storage: store, posts: store, known: store, postChanges: store, decisions: store,
      control: { threads, messages in store.reading(on: threads, messages: messages.reading(on: threads)) },
      secrets: secrets, seed: .random(in: 0 ... .max), mayAct: session.mayAct, shared: session, care: nil)
  }
}
