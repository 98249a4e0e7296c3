/// Drives one channel: its relays, its phase and its deletion.
///
/// It is a value like `ChannelRelayMachine`, with the same order of obligations: make the mutations of an `Output` durable, in one
/// transaction, before performing its actions.
public struct ChannelMachine: Hashable, Sendable {
  public let id: ChannelID
  public let kind: ChannelKind
  /// The number of the newest edition of the profile. The channel was created with edition 1.
  public private(set) var edition: Int
  /// The relays that the newest edition names.
  public private(set) var namedRelays: Set<RelayID>
  /// The number of active relays that the channel is meant to have.
  public private(set) var wantedRelays: Int
  /// Whether an operator asked for the deletion of the channel.
  public private(set) var isDeletionRequested: Bool
  /// The relays in the order in which they joined. They are never dropped, so that only `relaysRejoined` invites a removed one again.
  public private(set) var relays: [Pairing]

  /// One relay of the channel with its machine.
  public struct Pairing: Hashable, Sendable {
    public let relay: RelayID
    public internal(set) var machine: ChannelRelayMachine

    /// Whether readers may find the channel there: it is active, or was and may be again.
    var serves: Bool {
      switch machine.state.status {
      case .active, .inactive: true
      case .new, .invited, .accepted, .failed, .removed: false
      }
    }

    public init(relay: RelayID, machine: ChannelRelayMachine) {
      self.relay = relay
      self.machine = machine
    }
  }

  /// Creates the machine of a channel that was just requested.
  public init(id: ChannelID, kind: ChannelKind = .channel, wantedRelays: Int, relays: [RelayID], now: Timestamp) {
    self.init(
      id: id, kind: kind, wantedRelays: wantedRelays, isDeletionRequested: false, edition: 1, namedRelays: Set(relays),
      relays: relays.map {
        Pairing(relay: $0, machine: ChannelRelayMachine(salt: Self.salt(id, $0), now: now, kind: kind))
      })
  }

  /// Restores the machine of a stored channel.
  /// - Parameter namedRelays: the relays that the newest edition names, or `nil` if that was not stored. Then the serving relays count.
  public init(
    id: ChannelID, kind: ChannelKind = .channel, wantedRelays: Int, isDeletionRequested: Bool, edition: Int = 1,
    namedRelays: Set<RelayID>? = nil, relays: [Pairing]
  ) {
    self.id = id
    self.kind = kind
    self.edition = edition
    self.namedRelays = namedRelays ?? Set(relays.filter(\.serves).map(\.relay))
    self.wantedRelays = wantedRelays
    self.isDeletionRequested = isDeletionRequested
    self.relays = relays
  }

  /// A number that gives each channel relay its own jitter.
  public static func salt(_ channel: ChannelID, _ relay: RelayID) -> UInt64 {
    UInt64(bitPattern: channel.rawValue) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: relay.rawValue)
  }

  public enum Input: Hashable, Sendable {
    /// The channel is durable. Work may begin.
    case begun
    /// The daemon started again.
    case restarted
    /// The clock moved by this much while the daemon did not run. This input comes before `restarted`.
    case clockMoved(Duration)
    /// Time has passed. Every relay whose timer is due continues.
    case timersFired
    /// Something happened to one relay.
    case relay(RelayID, ChannelRelayMachine.Event)
    /// An operator asks for a retry of one relay, or, if it is `nil`, of all relays that are not active.
    case retryRequested(RelayID?)
    /// An operator adds these relays to the channel. Relays that the channel has or had are unchanged.
    case relaysAdded([RelayID])
    /// An operator adds these relays again, which had been removed. Only possible where the network allows it.
    case relaysRejoined([RelayID])
    /// An operator removes this relay from the channel.
    case relayRemoved(RelayID)
    /// A relay that failed or is away is replaced by a relay that the channel has never had.
    case relayReplaced(RelayID, by: RelayID, words: String)
    /// The profile has a new edition, which names these relays.
    /// - sparing: relays to which it is not announced, see `ChannelRelayMachine.Event.revised`.
    case revised(naming: [RelayID], sparing: Set<RelayID> = [])
    case deletionRequested
  }

  public enum Mutation: Hashable, Sendable {
    /// Store the present state of this relay's machine.
    case saveRelay(RelayID)
    /// Append to the history.
    case recordTransition(RelayID, ChannelRelayMachine.Transition)
    /// Store how many active relays are wanted.
    case saveWanted(Int)
    /// Store the number of the newest edition and the relays that it names, together with the edition itself.
    case saveEdition(Int, naming: [RelayID])
    /// Store that deletion was requested.
    case markDeleted
  }

  public enum Action: Hashable, Sendable {
    case invite(RelayID, operation: Int)
    case verify(RelayID, operation: Int)
    case withdraw(RelayID, operation: Int)
    case announce(RelayID, operation: Int)
    /// Log this at debug level. Nothing changed.
    case reportUnexpected(RelayID, ChannelRelayMachine.Event)
  }

  /// The result of one input. Its mutations become durable, together, before any action is performed.
  public struct Output: Hashable, Sendable {
    public var mutations: [Mutation] = []
    public var actions: [Action] = []
    public init() {}
  }

  /// The channel's phase, derived from its relays.
  public var phase: ChannelPhase {
    var counts = PhaseCounts(wanted: wantedRelays, isDeletionRequested: isDeletionRequested)
    for pairing in relays { counts.add(pairing.machine.state.status, hasWork: !pairing.machine.isSettled) }
    return counts.phase
  }

  /// The earliest time at which `timersFired` is due, or `nil` if the channel waits for nothing.
  public var timer: Timestamp? { relays.lazy.compactMap(\.machine.timer).min() }

  /// Whether nothing is left to do for any relay.
  public var isSettled: Bool { relays.allSatisfy(\.machine.isSettled) }

  public var activeRelays: [RelayID] {
    relays.filter { $0.machine.state.status == .active }.map(\.relay)
  }

  /// The relays that a new edition must name, because the newest one names a different set. `nil` if the newest one is right, or if relays
  /// that are under way must be awaited. The driver of the machine makes that edition and feeds `revised`.
  ///
  /// The edition still names relays that may come back. So a relay that keeps going up and down does not cause editions.
  public var namesDue: [RelayID]? {
    guard kind == .channel, !isDeletionRequested, !relays.contains(where: \.machine.state.status.isUnderWay),
      relays.contains(where: { $0.machine.state.status == .active })
    else { return nil }
    let serving = relays.filter(\.serves).map(\.relay)
    return Set(serving) == namedRelays ? nil : serving
  }

  /// The relays that an edition made now names. They serve the channel or are on their way to it.
  public var namesNow: [RelayID] {
    let good = relays.filter { $0.serves || $0.machine.state.status.isUnderWay }
    return (good.isEmpty ? relays.filter { $0.machine.state.status != .removed } : good).map(\.relay)
  }

  /// Processes one input and returns what to store and to do. Inputs for relays that the channel never had change nothing.
  public mutating func handle(_ input: Input, now: Timestamp, policy: RelayPolicy) -> Output {
    var output = Output()
    switch input {
    case .begun: feedAll(.begun, now, policy, &output)
    case .restarted: feedAll(.restarted, now, policy, &output)
    case .clockMoved(let distance):
      for index in relays.indices {
        let before = relays[index].machine
        relays[index].machine.clockMoved(by: distance, now: now, policy: policy)
        if relays[index].machine != before { output.mutations.append(.saveRelay(relays[index].relay)) }
      }
    case .timersFired:
      feedAll(.timerFired, now, policy, &output) { machine in machine.timer.map { $0 <= now } ?? false }
    case .relay(let relay, let event):
      guard let index = relays.firstIndex(where: { $0.relay == relay }) else {
        output.actions.append(.reportUnexpected(relay, event))
        break
      }
      feed(event, at: index, now, policy, &output)
    case .retryRequested(let relay):
      feedAll(.retryRequested, now, policy, &output, relay: relay) { machine in
        switch machine.state.status {
        case .new, .invited, .accepted, .inactive, .failed: true
        case .active: !machine.isSettled || machine.complaint != nil
        case .removed: false
        }
      }
    case .relaysAdded(let added):
      guard !isDeletionRequested else { break }
      for relay in added where !relays.contains(where: { $0.relay == relay }) {
        join(relay, now, policy, &output)
        want(wantedRelays + 1, &output)
      }
    case .relaysRejoined(let returning):
      guard !isDeletionRequested else { break }
      for relay in returning {
        guard let index = relays.firstIndex(where: { $0.relay == relay && $0.machine.isGone }) else { continue }
        feed(.rejoinRequested, at: index, now, policy, &output)
        want(wantedRelays + 1, &output)
      }
    case .relayRemoved(let relay):
      guard let index = relays.firstIndex(where: { $0.relay == relay }), relays[index].machine.state.status != .removed else {
        break
      }
      want(max(1, wantedRelays - 1), &output)
      feed(.removalRequested, at: index, now, policy, &output)
    case .relayReplaced(let old, let new, let words):
      guard !isDeletionRequested, !relays.contains(where: { $0.relay == new || $0.machine.state.status.isUnderWay }),
        let index = relays.firstIndex(where: { $0.relay == old })
      else { break }
      feed(.replaced(words), at: index, now, policy, &output)
      guard relays[index].machine.state.status == .removed else { break }
      join(new, now, policy, &output)
    case .revised(let names, let spared):
      guard !isDeletionRequested else { break }
      edition += 1
      namedRelays = Set(names)
      output.mutations.append(.saveEdition(edition, naming: names))
      for index in relays.indices {
        feed(.revised(edition: edition, isSpared: spared.contains(relays[index].relay)), at: index, now, policy, &output)
      }
    case .deletionRequested:
      guard !isDeletionRequested else { break }
      isDeletionRequested = true
      output.mutations.append(.markDeleted)
      feedAll(.removalRequested, now, policy, &output) { $0.state.status != .removed || $0.state.work?.task == .verify }
    }
    return output
  }

  private mutating func join(_ relay: RelayID, _ now: Timestamp, _ policy: RelayPolicy, _ output: inout Output) {
    let machine = ChannelRelayMachine(salt: Self.salt(id, relay), now: now, kind: kind, edition: edition)
    relays.append(Pairing(relay: relay, machine: machine))
    output.mutations.append(.saveRelay(relay))
    feed(.begun, at: relays.count - 1, now, policy, &output)
  }

  private mutating func want(_ count: Int, _ output: inout Output) {
    guard count != wantedRelays else { return }
    wantedRelays = count
    output.mutations.removeAll { if case .saveWanted = $0 { true } else { false } }
    output.mutations.append(.saveWanted(count))
  }

  private mutating func feedAll(
    _ event: ChannelRelayMachine.Event, _ now: Timestamp, _ policy: RelayPolicy, _ output: inout Output,
    relay: RelayID? = nil, where isMeant: (ChannelRelayMachine) -> Bool = { _ in true }
  ) {
    for index in relays.indices {
      guard relay == nil || relays[index].relay == relay, isMeant(relays[index].machine) else { continue }
      feed(event, at: index, now, policy, &output)
    }
  }

  private mutating func feed(
    _ event: ChannelRelayMachine.Event, at index: Int, _ now: Timestamp, _ policy: RelayPolicy, _ output: inout Output
  ) {
    let relay = relays[index].relay
    let before = relays[index].machine
    let actions = relays[index].machine.handle(event, now: now, policy: policy)
    if relays[index].machine != before { output.mutations.append(.saveRelay(relay)) }
    for action in actions {
      switch action {
      case .record(let transition): output.mutations.append(.recordTransition(relay, transition))
      case .invite(let operation): output.actions.append(.invite(relay, operation: operation))
      case .verify(let operation): output.actions.append(.verify(relay, operation: operation))
      case .withdraw(let operation): output.actions.append(.withdraw(relay, operation: operation))
      case .announce(let operation): output.actions.append(.announce(relay, operation: operation))
      case .reportUnexpected(let event): output.actions.append(.reportUnexpected(relay, event))
      }
    }
  }
}
