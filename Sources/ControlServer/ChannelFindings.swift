internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Storage

/// Findings about channels, for people: channels that work on no relay, the relays that they lack or cannot be created on, and the command
/// that helps.
struct ChannelFindings {
  let losses: [ChannelLoss]
  /// Channels that work on no relay.
  let failedChannels: Int
  let relays: [RelayRow]
  let disabledOperators: Set<OperatorID>

  var errors: [Finding] { failed + relaysDown(isError: true) }

  private var failed: [Finding] {
    guard failedChannels > 0 else { return [] }
    let words = failedChannels == 1 ? "1 channel works on no relay" : "\(failedChannels) channels work on no relay"
    let filter = #"--filter '{"phase": "failed"}'"#
    return [
      Finding(
        kind: "channelsFailed", severity: "error", serverIds: [], relayIds: [],
        message: "\(words): batonctl channel list \(filter) shows which, batonctl channel retry \(filter) tries again")
    ]
  }

  /// One finding for each relay that channels lack, the most lacked relay first, and then relays that are down.
  var warnings: [Finding] { lost + relaysDown(isError: false) }

  private static let namesMax = 5

  /// One finding for each network with relays that are down.
  /// - Parameter isError: only the networks on which all are down, or only the others.
  private func relaysDown(isError: Bool) -> [Finding] {
    let usable = relays.filter { !$0.isDeleted && isUsable($0) }
    return NetworkKind.allCases.compactMap { network in
      let all = usable.filter { $0.network == network }
      let down = all.filter { $0.condition.health == .down }
      guard !down.isEmpty, (down.count == all.count) == isError else { return nil }
      // Relays that channels lack have a finding each, which is enough while other relays work.
      let lacked = Set(losses.map(\.relay))
      guard isError || !down.allSatisfy({ lacked.contains($0.id) }) else { return nil }
      let names = down.prefix(Self.namesMax).map { "'\($0.name)'" } + (down.count > Self.namesMax ? ["others"] : [])
      let which = names.joined(separator: ", ")
      let words =
        switch (isError, down.count) {
        case (true, 1): "the only enabled relay on \(network.rawValue) is down (\(which)), so no channel can be created there"
        case (true, let count):
          "all \(count) enabled relays on \(network.rawValue) are down (\(which)), so no channel can be created there"
        case (false, let count):
          "\(count) of \(all.count) enabled relays on \(network.rawValue) \(count == 1 ? "is" : "are") down (\(which))"
        }
      return Finding(
        kind: "relaysDown", severity: isError ? "error" : "warning", network: network.rawValue, serverIds: [],
        relayIds: down.map(\.id.rawValue), message: "\(words). batonctl relay test NAME shows the step that fails")
    }
  }

  private func isUsable(_ relay: RelayRow) -> Bool {
    relay.isEnabled && relay.relayOperator.map { !disabledOperators.contains($0) } ?? true
  }

  private var lost: [Finding] {
    let byRelay = Dictionary(grouping: losses, by: \.relay).mapValues { $0.sorted { $0.channels > $1.channels } }
    let counts = byRelay.mapValues { $0.reduce(0) { $0 + $1.channels } }
    return byRelay.keys.sorted { (counts[$1] ?? 0, $0) < (counts[$0] ?? 0, $1) }.compactMap { id in
      guard let losses = byRelay[id], let count = counts[id], let relay = relays.first(where: { $0.id == id }) else {
        return nil
      }
      let kinds = losses.map { "\($0.channels) \($0.status.rawValue)\($0.cause.map { " (\($0.rawValue))" } ?? "")" }
        .joined(separator: ", ")
      let words = "\(count) \(count == 1 ? "channel lacks" : "channels lack") relay '\(relay.name)': \(kinds)"
      return Finding(
        kind: "relayLost", severity: "warning", network: relay.network.rawValue, serverIds: [], relayIds: [id.rawValue],
        message: "\(words). \(advice(relay, losses))")
    }
  }

  private func advice(_ relay: RelayRow, _ losses: [ChannelLoss]) -> String {
    let id = relay.id.rawValue
    if relay.isDeleted { return "It was removed. Channels that heal move to other relays" }
    guard isUsable(relay) else {
      return "It is disabled, so it does not get them back: batonctl relay enable \(id), or enable its operator"
    }
    if relay.condition.health == .down {
      return "It is down, and they come back with it. batonctl relay test \(id) shows at which step it fails"
    }
    let mayPass = losses.filter { $0.status == .inactive || $0.cause?.mayPass == true }
    guard !mayPass.isEmpty else {
      return "It refused them: batonctl channel retry --relay \(id) --dry-run lists them, and their causes show its demands"
    }
    let failed = mayPass.filter { $0.status == .failed }
    let itself =
      failed.isEmpty
      ? "They are tried again by themselves, at long intervals"
      : failed.contains { $0.healing > 0 } ? "Channels that heal get it back automatically, some a minute" : "They do not heal"
    return "\(itself). batonctl channel retry --relay \(id) asks for all of them now"
  }
}

extension ChannelFindings {
  /// Reads the findings. This takes longer the more relays channels lack.
  init(_ store: any ControlStorage, _ coordinator: Coordinator) async throws {
    losses = try await store.losses()
    failedChannels = losses.isEmpty ? 0 : try await store.failedChannelCount()
    relays = coordinator.relays
    disabledOperators = Set(coordinator.operators.filter { !$0.isEnabled }.map(\.id))
  }
}
