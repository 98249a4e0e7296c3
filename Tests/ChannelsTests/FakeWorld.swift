@testable import Channels

/// An independent model of what may happen to the relays of a channel. It refuses illegal actions, whatever a test expects.
struct FakeWorld {
  struct Illegal: Error, CustomStringConvertible {
    let description: String
  }

  struct Operation: Hashable {
    let relay: RelayID
    let number: Int
    let task: ChannelRelayMachine.Work.Task
  }

  /// The relay's real content, whatever it claims.
  struct Relay {
    var hasChannel = false
    var isRemoved = false
    /// Whether it was asked to delete the channel.
    var isTold = false
    var hasAccepted = false
    var lastOperation = 0
    var status = RelayStatus.new
  }

  private(set) var relays: [RelayID: Relay]
  /// The edition that each relay shows.
  var shows: [RelayID: Int] = [:]
  /// Operations whose outcome is still to come; they may come late, twice or never.
  var pending: [Operation] = []

  init(relays: [RelayID]) { self.relays = Dictionary(uniqueKeysWithValues: relays.map { ($0, Relay()) }) }

  mutating func perform(_ output: ChannelMachine.Output) throws {
    for mutation in output.mutations {
      // A relay joins by being stored.
      if case .saveRelay(let id) = mutation, relays[id] == nil { relays[id] = Relay() }
      if case .recordTransition(let id, let transition) = mutation { try record(id, transition) }
    }
    for action in output.actions {
      switch action {
      case .invite(let id, let number):
        guard relays[id]?.isRemoved == false else { throw Illegal(description: "\(id) is invited after it was removed") }
        try begin(Operation(relay: id, number: number, task: .invite))
      case .verify(let id, let number):
        guard relays[id]?.isTold == false else { throw Illegal(description: "\(id) is verified after it was told") }
        guard relays[id]?.hasAccepted == true else { throw Illegal(description: "\(id) is verified before it accepted") }
        try begin(Operation(relay: id, number: number, task: .verify))
      case .announce(let id, let number):
        guard relays[id]?.status == .active else { throw Illegal(description: "\(id) gets an edition and is not active") }
        try begin(Operation(relay: id, number: number, task: .announce))
      case .withdraw(let id, let number):
        guard relays[id]?.isRemoved == true else { throw Illegal(description: "\(id) gets a farewell without removal") }
        relays[id]?.isTold = true
        try begin(Operation(relay: id, number: number, task: .withdraw))
      case .reportUnexpected: break
      }
    }
  }

  private mutating func begin(_ operation: Operation) throws {
    guard let last = relays[operation.relay]?.lastOperation, operation.number > last else {
      throw Illegal(description: "operation number \(operation.number) of \(operation.relay) was used before")
    }
    relays[operation.relay]?.lastOperation = operation.number
    pending.append(operation)
  }

  private mutating func record(_ id: RelayID, _ transition: ChannelRelayMachine.Transition) throws {
    guard let relay = relays[id], transition.from == relay.status else {
      throw Illegal(description: "\(id): the history has a gap before \(transition)")
    }
    let isLegal =
      switch (transition.from, transition.to) {
      case (.new, .invited), (.invited, .accepted), (.accepted, .active), (.active, .inactive), (.inactive, .active): true
      case (.inactive, .accepted), (.failed, .accepted), (.failed, .invited), (.inactive, .invited): true
      case (.removed, .removed): true
      case (.removed, _): false
      case (_, .removed), (_, .failed): true
      case (let from, let to): from == to
      }
    guard isLegal else { throw Illegal(description: "\(id): \(transition.from) -> \(transition.to) is no transition") }
    if transition.to == .failed || transition.to == .inactive, transition.cause == nil || transition.detail.isEmpty {
      throw Illegal(description: "\(id): \(transition.to) without a reason")
    }
    relays[id]?.status = transition.to
    if transition.to == .accepted { relays[id]?.hasAccepted = true }
    if transition.to == .removed { relays[id]?.isRemoved = true }
  }

  mutating func learned(_ id: RelayID, hasChannel: Bool) { relays[id]?.hasChannel = hasChannel }
  mutating func acceptanceReached(_ id: RelayID) { relays[id]?.hasAccepted = true }
}
