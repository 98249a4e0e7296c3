import SimpleX
import Synchronization

/// Keeps what a client reports and wakes who waits for it.
final class CoreReports: Sendable {
  private struct State {
    var all: [CoreReport] = []
    var waiters: [(from: Int, isMeant: @Sendable (CoreReport) -> Bool, wake: CheckedContinuation<Int, Never>)] = []
  }
  private let state = Mutex(State())

  /// Everything so far, in order.
  var all: [CoreReport] { state.withLock(\.all) }

  func take(_ report: CoreReport) {
    let (index, woken) = state.withLock { state in
      let index = state.all.count
      state.all.append(report)
      let woken = state.waiters.filter { $0.from <= index && $0.isMeant(report) }
      state.waiters.removeAll { $0.from <= index && $0.isMeant(report) }
      return (index, woken)
    }
    for waiter in woken { waiter.wake.resume(returning: index) }
  }

  /// The number of the first report that is meant, from number `from` on; waits for it.
  @discardableResult
  func first(from: Int = 0, where isMeant: @escaping @Sendable (CoreReport) -> Bool) async -> Int {
    await withCheckedContinuation { wake in
      let found = state.withLock { state -> Int? in
        if let found = state.all.dropFirst(from).firstIndex(where: isMeant) { return found }
        state.waiters.append((from, isMeant, wake))
        return nil
      }
      if let found { wake.resume(returning: found) }
    }
  }

  /// The answer to the command with this number; waits for it.
  func answer(to id: Int) async -> Result<CoreReply, CoreFailure> {
    let index = await first { if case .reply(CoreRequestID(rawValue: id), _) = $0 { true } else { false } }
    guard case .reply(_, let result) = all[index] else { return .success(.unknown(tag: "")) }
    return result
  }

  /// Waits until the connection stands.
  func up() async { await first { if case .up = $0 { true } else { false } } }

  /// Waits until there is no connection, after report number `from`.
  func down(from: Int = 0) async { await first(from: from) { if case .down = $0 { true } else { false } } }

  /// Waits until the connection broke after report number `from`, and stands again.
  func reconnected(from: Int) async {
    let down = await first(from: from) { if case .down = $0 { true } else { false } }
    await first(from: down) { if case .up = $0 { true } else { false } }
  }

  /// What happened to relays and links, briefly, in order.
  var story: [String] {
    all.compactMap { report in
      switch report {
      case .up: "up"
      case .down: "down"
      case .reply(let id, .success): "answer \(id)"
      case .reply(let id, .failure(.refused)): "refused \(id)"
      case .reply(let id, .failure(.unreadable)): "unreadable \(id)"
      case .reply(let id, .failure(.notSent)): "not sent \(id)"
      case .reply(let id, .failure(.unknown)): "unknown \(id)"
      case .event(.relayUpdated(_, _, let relay)): "\(relay.relay.name) \(relay.status)"
      case .event(.linkUpdated(_, _, let relays, _)):
        "link: " + relays.map { "\($0.relay.name) \($0.status)" }.joined(separator: ", ")
      case .event(.memberUpdated(_, _, let member)): "member \(member.connection.map { "\($0)" } ?? "")"
      case .event(.memberLeft): "left"
      case .event(.error(let error)): "error \(error.tag)\(error.place == nil ? "" : " of a member")"
      case .event(let event): "\(event)"
      }
    }
  }
}
