import Channels
import RelayNetwork
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

@testable import Coordinator

/// Whole decisions, described in text files; see `Transcripts/`. What was asked of storage and is stored comes first, then what follows
/// once that is over.
struct DeciderTranscriptTests {
  @Test(arguments: [
    "creation.txt", "outage.txt", "edition.txt", "same-key.txt", "deletion.txt", "replacement.txt", "catalog.txt",
    "failed-commit.txt", "commit-in-doubt.txt", "conflict.txt", "relay-tests.txt", "identities.txt", "pipelining.txt",
  ])
  func decisionsFollowTheirTranscript(_ name: String) async throws {
    let transcript = try Transcript(name, beside: #filePath)
    #expect(!transcript.blocks.isEmpty)
    let player = DeciderPlayer()
    let difference = try await transcript.difference { try await player.run($0) }
    player.end()
    #expect(difference == nil, "\(difference ?? "")")
  }
}

/// Runs the commands of a transcript against one decider. Inputs gather until `decide`, `store` or the end of a block, which stores.
private final class DeciderPlayer {
  struct UnknownCommand: Error { let text: String }

  private var shell: DeciderShell?
  private var batch: [Engine.Input] = []
  /// Inputs that the decider has made for itself.
  private var own: [Engine.Input] = []

  func end() { shell?.store.close() }

  func run(_ commands: [String]) async throws -> [String] {
    var output: [String] = []
    for command in commands { output += try await perform(command) }
    if !batch.isEmpty { output += try await store() }
    return output + state
  }

  private func perform(_ command: String) async throws -> [String] {
    let words = command.split(separator: " ").map(String.init)
    if words[0] == "start" {
      try await start(words)
      return []
    }
    guard let shell else { throw UnknownCommand(text: command) }
    switch command {
    case "decide": return await decide()
    case "close": return close()
    case "land": return try await land()
    case "store": return try await store()
    case "go on":
      batch += own
      own = []
    case "fail": return show(shell.fail(.unavailable("database or disk is full")))
    case "fail in doubt": return show(shell.fail(.inDoubt("the connection broke")))
    case "break storage": shell.storage.isBroken = true
    case "repair storage": shell.storage.isBroken = false
    case "lose answers": shell.storage.isDoubtful = true
    case "keep answers": shell.storage.isDoubtful = false
    case "settle the doubt":
      guard let effects = try await shell.settleDoubt() else { return ["no doubt"] }
      own += effects.inputs
      return DecisionLines.lines(effects)
    default:
      if words[0] == "advance" {
        shell.now = shell.now + .seconds(Int64(words[1].dropLast()) ?? 0)
      } else if words[0] == "elsewhere" {
        shell.storage.conflictOnce(channel(words[1]), custom: "of someone else")
      } else {
        batch += try inputs(words, shell)
      }
    }
    return []
  }

  private func start(_ words: [String]) async throws {
    shell?.store.close()
    (batch, own) = ([], [])
    shell = try await DeciderShell(
      relays: Int(words[1]) ?? 1, schedule: words.contains("tests") ? TestSchedule() : nil,
      upkeep: words.contains("upkeep") ? UpkeepPolicy() : nil)
  }

  // MARK: - Steps

  private func decide() async -> [String] {
    guard let shell else { return [] }
    let resting = shell.decider.unfoldedNeedsRest(batch, at: shell.now) ? ["decided once everything before is durable"] : []
    let reads = await shell.take(batch)
    batch = []
    return resting + DecisionLines.lines(reads)
  }

  private func close() -> [String] {
    guard let shell else { return [] }
    let request = shell.close()
    return DecisionLines.lines(request) + (shell.decider.flight.map(DecisionLines.lines) ?? [])
  }

  private func land() async throws -> [String] {
    guard let shell else { return [] }
    return show(try await shell.land())
  }

  private func store() async throws -> [String] { await decide() + close() + (try await land()) }

  /// What follows, in the order of the obligations.
  private func show(_ landing: DeciderShell.Landing) -> [String] {
    guard let shell else { return [] }
    var lines: [String] = []
    switch landing {
    case .landed(let receipt, _, _):
      if let receipt { lines.append("-- stored, revision \(receipt.revision)") }
      lines += (receipt?.rejections ?? [:]).sorted { $0.key < $1.key }.map { "part \($0.key) is not: \($0.value)" }
    case .failed(let failure, _, _): lines.append("-- \(failure)")
    }
    own += landing.effects.inputs
    lines += DecisionLines.lines(landing.effects)
    lines += landing.answers.map { "tell \(DecisionLines.line($0)): \(result(of: $0, landing))" }
    shell.letGo(landing)
    lines += shell.decider.chores.take().map { "later, \(DecisionLines.line($0))" }
    return lines
  }

  private func result(of answer: Answer, _ landing: DeciderShell.Landing) -> String {
    guard let decider = shell?.decider else { return "" }
    if case .failed(let failure, _, _) = landing, answer.outcome != .doneAnyway { return "no, \(failure)" }
    if case .refused(let error) = answer.outcome { return "no, \(decider.current(error))" }
    switch (decider.channel(in: answer.outcome), decider.object(in: answer.outcome)) {
    case (.success(let snapshot)?, _):
      return "\(snapshot.phase), revision \(snapshot.row.revision), \(snapshot.row.profile.displayName)"
    case (.failure(let error)?, _), (_, .failure(let error)?): return "no, \(error)"
    case (_, .success(let object)?): return object.map { "'\($0.title)', revision \($0.revision)" } ?? "done"
    case (nil, nil): return "done"
    }
  }

  private var state: [String] {
    guard let shell else { return [] }
    let decider = shell.decider
    let awake = decider.base.live.channels.keys.sorted().map { "\($0.rawValue)" }.joined(separator: " ")
    let alarms = decider.alarms.times.sorted {
      ($0.value, DecisionLines.words($0.key)) < ($1.value, DecisionLines.words($1.key))
    }
    let owed = decider.recovery.channels.sorted().map { "\($0.rawValue)" }.joined(separator: " ")
    return [
      "= at \(DecisionLines.time(shell.now)), revision \(decider.base.counters.revision), awake: \(awake.isEmpty ? "none" : awake)"
    ] + alarms.prefix(3).map { "= \(DecisionLines.words($0.key)) is due at \(DecisionLines.time($0.value))" }
      + (owed.isEmpty ? [] : ["= to be read again: \(owed)"])
      + (decider.recovery.trouble.map { ["= storage does not work: \($0)"] } ?? [])
  }

  // MARK: - Inputs

  private func channel(_ word: String) -> ChannelID { ChannelID(rawValue: Int64(word) ?? 0) }

  private func relays(_ words: some Sequence<String>) -> [RelayID] {
    words.compactMap { word in
      guard word.hasPrefix("r"), let number = Int64(word.dropFirst()) else { return nil }
      return RelayID(rawValue: number)
    }
  }

  private func inputs(_ words: [String], _ shell: DeciderShell) throws -> [Engine.Input] {
    let named = relays(words)
    switch words[0] {
    case "timers": return [.timersDue]
    case "create":
      let key = words.firstIndex(of: "key").map { words[$0 + 1] }
      return [shell.creation(words[1], on: named, key: key)]
    case "update":
      return [shell.update(channel(words[1]).rawValue, name: words[2], revision: words.count > 3 ? Int64(words[3]) : nil)]
    case "delete": return [.delete(channel(words[1]), Reply { _ in })]
    case "retry": return [.retry(channel(words[1]), named.first, Reply { _ in })]
    case "identity":
      let key = try shell.network.makeIdentity(secret: nil)
      let row = IdentityRow(
        id: IdentityID(rawValue: 0), name: words[1], network: .nostr, publicName: key.publicName, sealedKey: [2],
        createdAt: shell.now)
      return [.addIdentity(row, key, Reply { _ in })]
    case "forget": return [.removeIdentity(IdentityID(rawValue: Int64(words[2]) ?? 0), Reply { _ in })]
    case "rename": return named.map { shell.renaming($0, to: words[2]) }
    case "remove": return named.map { .change(.removeRelay($0), force: words.contains("force"), Reply { _ in }) }
    case "move":
      let address = try shell.network.parse(address: words[2])
      return named.map {
        let revision = shell.decider.relays[$0]?.revision ?? 0
        return .change(
          .updateRelay($0, revision: revision, address, RelayEdit(address: words[2])), force: words.contains("force"),
          Reply { _ in })
      }
    default: return try reports(words, named, shell)
    }
  }

  /// What networks say: `r1 is up`, `1 at r1 r2 accepted`.
  private func reports(_ words: [String], _ named: [RelayID], _ shell: DeciderShell) throws -> [Engine.Input] {
    switch words.last {
    case "up": return named.map { .report(.relayUp($0, roundTrip: .milliseconds(5))) }
    case "down": return named.map { .report(.relayDown($0, Trouble(.unreachable, "connection refused"))) }
    case "passes": return named.map { tested($0, shell, nil) }
    case "fails": return named.map { tested($0, shell, Trouble(.rejected, "blocked: no")) }
    default: break
    }
    guard words.count > 2, words[1] == "at" else { throw UnknownCommand(text: words.joined(separator: " ")) }
    let id = channel(words[0])
    return try named.map { relay in
      let machine = shell.decider[id]?.machine(of: relay)
      let stored = try shell.store.channel(id)
      let number = machine?.operation ?? stored?.relays.first { $0.relay == relay }?.record.operation ?? 0
      let edition = shell.decider[id]?.row.edition ?? stored?.row.edition ?? 1
      let outcome: RelayOutcome
      switch words.last {
      case "accepted": outcome = .accepted(link: "ws://r\(relay.rawValue)")
      case "shown": outcome = .verified(edition: edition)
      case "missing": outcome = .missing
      case "announced": outcome = .announced
      case "withdrawn": outcome = .withdrawn
      case "refused": outcome = .refused(Trouble(.rejected, "blocked: no"))
      case "silent": outcome = .troubled(Trouble(.timeout, "silent"), retryAfter: nil)
      default: throw UnknownCommand(text: words.joined(separator: " "))
      }
      return .report(.outcome(channel: id, relay: relay, number: number, outcome))
    }
  }

  private func tested(_ relay: RelayID, _ shell: DeciderShell, _ failure: Trouble?) -> Engine.Input {
    let step = ProbeStep(name: "connect", duration: .milliseconds(7), failure: failure)
    return .tested(
      .relay(relay), address: shell.decider.relays[relay]?.address ?? "", ProbeVerdict([step], isFull: true), nil)
  }
}

extension Decider {
  /// Whether one of the inputs, with the alarms that are due, must be decided on what is durable.
  fileprivate func unfoldedNeedsRest(_ inputs: [Input], at now: Timestamp) -> Bool {
    var copy = self
    return copy.unfold(inputs, at: now).contains(where: copy.needsRest)
  }
}
