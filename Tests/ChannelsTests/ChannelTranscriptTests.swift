import Channels
import Testing

/// The behaviour of whole channels, described in text files; see `Transcripts/channel-*.txt`.
struct ChannelTranscriptTests {
  @Test(arguments: [
    "channel-create.txt", "channel-change.txt", "channel-heal.txt", "channel-delete.txt",
  ])
  func channelFollowsItsTranscript(_ name: String) throws { try ChannelPlayer.play(name) }
}

/// Runs the commands of a transcript against one channel, as the coordinator would.
private struct ChannelPlayer: TranscriptPlayer {
  var now = Timestamp(milliseconds: 0)
  private var machine = ChannelMachine(
    id: ChannelID(rawValue: 1), wantedRelays: 1, relays: [], now: Timestamp(milliseconds: 0))
  private let policy: RelayPolicy = {
    var policy = RelayPolicy()
    policy.backOffJitterPercent = 0
    return policy
  }()

  var timer: Timestamp? { machine.timer }

  var state: String {
    let relays = machine.relays.map { "r\($0.relay.rawValue) \($0.machine.state.status)" }
    let edition = machine.edition > 1 ? ", edition \(machine.edition)" : ""
    return
      "= \(machine.phase)\(edition), \(machine.activeRelays.count) of \(machine.wantedRelays): \(relays.joined(separator: ", "))"
  }

  mutating func perform(_ command: String) throws -> [String] {
    let words = command.split(separator: " ").map(String.init)
    func relays(_ words: some Sequence<String>) -> [RelayID] {
      words.compactMap { Int64($0.drop { $0 == "r" }) }.map(RelayID.init(rawValue:))
    }
    let named = relays(words.dropFirst())
    switch words[0] {
    case "create":
      machine = ChannelMachine(id: ChannelID(rawValue: 1), wantedRelays: named.count, relays: named, now: now)
      return feed(.begun)
    case "add": return feed(.relaysAdded(named))
    case "rejoin": return feed(.relaysRejoined(named))
    case "remove": return named.flatMap { feed(.relayRemoved($0)) }
    case "replace": return feed(.relayReplaced(named[0], by: named[1], words: "replaced by r\(named[1].rawValue)"))
    case "retry": return feed(.retryRequested(named.first))
    case "update": return feed(.revised(naming: machine.namesNow))
    case "delete": return feed(.deletionRequested)
    case "restart": return feed(.restarted)
    default:
      let subjects = words[0] == "all" ? machine.relays.map(\.relay) : relays([words[0]])
      return try subjects.flatMap { feed(.relay($0, try event(words.dropFirst().joined(separator: " "), $0))) }
    }
  }

  private func event(_ words: String, _ relay: RelayID) throws -> ChannelRelayMachine.Event {
    let operation = machine.relays.first { $0.relay == relay }?.machine.operation ?? 0
    switch words {
    case "accepts": return .relayAccepted(operation: operation, link: "wss://r\(relay.rawValue)")
    case "shows it": return .verified(operation: operation, edition: machine.edition)
    case "shows the first edition": return .verified(operation: operation, edition: 1)
    case "does not have it": return .foundMissing(operation: operation)
    case "takes the edition": return .announced(operation: operation)
    case "was told": return .withdrawn(operation: operation)
    case "refuses": return .refused(operation: operation, Trouble(.rejected, "blocked: no"))
    case "is silent": return .troubled(operation: operation, Trouble(.timeout, "silent"), retryAfter: nil)
    case "is lost": return .relayLost(Trouble(.unreachable, "down for too long"))
    case "returns": return .relayReturned
    case "is looked at": return .verifyRequested
    default: throw UnknownCommand(text: words)
    }
  }

  mutating func fireTimer() -> [String] { feed(.timersFired) }

  private mutating func feed(_ input: ChannelMachine.Input) -> [String] {
    var lines = show(machine.handle(input, now: now, policy: policy))
    if let names = machine.namesDue { lines += show(machine.handle(.revised(naming: names), now: now, policy: policy)) }
    return lines
  }

  private func show(_ output: ChannelMachine.Output) -> [String] {
    let stored = output.mutations.compactMap { mutation -> String? in
      switch mutation {
      case .saveRelay: return nil
      case .saveWanted(let count): return "store: \(count) wanted"
      case .saveEdition(let number, let names):
        return "store: edition \(number) names \(names.map { "r\($0.rawValue)" }.joined(separator: " "))"
      case .markDeleted: return "store: deletion requested"
      case .recordTransition(let relay, let transition):
        return "r\(relay.rawValue) \(transition.from) -> \(transition.to)\(transition.reason)"
      }
    }
    let asked = output.actions.map { action in
      switch action {
      case .invite(let relay, _): "invite r\(relay.rawValue)"
      case .verify(let relay, _): "verify r\(relay.rawValue)"
      case .withdraw(let relay, _): "withdraw r\(relay.rawValue)"
      case .announce(let relay, _): "announce r\(relay.rawValue)"
      case .reportUnexpected(let relay, let event): "r\(relay.rawValue): unexpected \(event)"
      }
    }
    return stored + asked
  }
}
