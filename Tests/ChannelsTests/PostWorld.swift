@testable import Channels

/// An independent model of one relay that may get a post, and of what was said about it. It refuses illegal actions, whatever a test
/// expects. The relay does not recognize repetitions: whatever arrives under a first edition becomes another copy.
struct PostWorld {
  struct Illegal: Error, CustomStringConvertible {
    let description: String
  }

  struct Operation: Hashable {
    enum Kind { case publish, verify, withdraw }

    let number: Int
    let kind: Kind
    /// For a post that left, whether it arrived.
    var arrived: Bool?
  }

  /// What the network last said about the post.
  private enum Word: Hashable {
    case absent
    case present(edition: Int)
    /// It left, and no one has said anything since.
    case unknown
  }

  /// The edition that the relay serves, whatever it claims; 0 means none.
  private(set) var serves = 0
  private(set) var copies = 0
  /// Operations whose outcome is still to come; they may come late, twice or never.
  var pending: [Operation] = []
  private var word = Word.absent
  private var wordBefore = Word.absent
  private var lastOperation = 0
  private(set) var isDeleted = false
  private(set) var status = DeliveryStatus.pending

  // MARK: - What the delivery does

  mutating func perform(_ actions: [DeliveryMachine.Action]) throws {
    for action in actions {
      switch action {
      case .record(let transition): try record(transition)
      case .publish(let number):
        guard !isDeleted else { throw Illegal(description: "a deleted post is published") }
        guard word != .unknown else { throw Illegal(description: "published again, and no one said that it is missing") }
        try begin(number, .publish)
      case .verify(let number): try begin(number, .verify)
      case .withdraw(let number):
        guard isDeleted else { throw Illegal(description: "a post is withdrawn that was not deleted") }
        try begin(number, .withdraw)
      case .reportUnexpected: break
      }
    }
  }

  private mutating func begin(_ number: Int, _ kind: Operation.Kind) throws {
    guard number > lastOperation else { throw Illegal(description: "operation number \(number) was used before") }
    lastOperation = number
    pending.append(Operation(number: number, kind: kind))
  }

  private mutating func record(_ transition: DeliveryMachine.Transition) throws {
    guard transition.from == status else { throw Illegal(description: "the history has a gap before \(transition)") }
    let isLegal =
      switch (transition.from, transition.to) {
      case (.deleting, .deleted), (.deleting, .stillServed), (.deleting, .unsupported): true
      case (.stillServed, .deleted), (.stillServed, .unsupported), (.deleted, .deleting): true
      case (.unsupported, .deleting), (.unsupported, .deleted): true
      case (.deleting, let to), (.stillServed, let to): to == transition.from
      case (.deleted, _), (.unsupported, _), (_, .deleted), (_, .stillServed), (_, .unsupported): false
      case (.verified, let to): [.pending, .sent, .deleting].contains(to)
      case (.skipped, let to): [.skipped, .pending, .sent, .deleting].contains(to)
      case (.accepted, .sent): false
      case (.pending, _), (.sent, _), (.accepted, _), (.failed, _): true
      }
    guard isLegal else { throw Illegal(description: "\(transition.from) -> \(transition.to) is no transition") }
    if [.failed, .skipped, .stillServed, .unsupported].contains(transition.to) {
      guard transition.cause != nil, !transition.detail.isEmpty else {
        throw Illegal(description: "\(transition.to) without a reason")
      }
    }
    status = transition.to
  }

  /// The post leaves for the relay.
  /// - Parameter arrives: whether the relay stores it.
  mutating func leave(_ operation: Operation, edition: Int, arrives: Bool) throws {
    guard !isDeleted else { throw Illegal(description: "a deleted post leaves") }
    guard operation.number == lastOperation else { throw Illegal(description: "two posts leave at the same time") }
    switch word {
    case .absent: break
    case .present(let known):
      guard known < edition else { throw Illegal(description: "edition \(edition) leaves again, and readers find it") }
    case .unknown: throw Illegal(description: "the post leaves again, and no one said that it is missing")
    }
    (wordBefore, word) = (word, .unknown)
    if let index = pending.firstIndex(where: { $0.number == operation.number }) { pending[index].arrived = arrives }
    guard arrives else { return }
    if serves == 0 || edition == serves { copies += 1 }
    serves = max(serves, edition)
  }

  // MARK: - What the network says and does

  /// Takes note of what the delivery is about to be told.
  /// - Parameters:
  ///   - isCurrent: whether it answers the operation that the delivery waits for.
  ///   - machine: the delivery, before it is told.
  mutating func said(_ event: DeliveryMachine.Event, isCurrent: Bool, to machine: DeliveryMachine) {
    let hasLeft = machine.state.status == .sent && machine.underWay?.task == .publish
    switch event {
    case .foundMissing: if isCurrent, machine.underWay?.task != .publish { word = .absent }
    case .verified(_, let edition):
      let isOnItsWay = [.pending, .sent, .accepted, .failed].contains(machine.state.status)
      if isCurrent || isOnItsWay && edition >= machine.edition { word = .present(edition: edition) }
    case .refused, .skipped: if isCurrent, hasLeft { word = wordBefore }
    case .troubled(_, let trouble, _):
      if isCurrent, hasLeft, [.rateLimited, .authRequired].contains(trouble.cause) { word = wordBefore }
    case .accepted: if word == .absent { word = .unknown }
    case .reconciled(true): if machine.edition == 1 { word = .present(edition: 1) }
    case .reconciled(false): if machine.state == .verified { word = .unknown }
    case .deletionRequested: isDeleted = true
    case .begun, .restarted, .timerFired, .handedOver, .withdrawn, .relayReturned, .relayLeft, .edited, .retryRequested,
      .cancelRequested, .forgotten:
      break
    }
  }

  /// The relay deletes the post, or loses it.
  mutating func forget() { (serves, copies) = (0, 0) }

  /// Nothing that was asked for earlier is answered any more.
  mutating func dropStale(except current: Int?) { pending.removeAll { $0.number != current } }
}
