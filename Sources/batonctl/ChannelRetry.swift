internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Sentences
internal import StrictJSON
internal import Varlink

struct ChannelRetry: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Retry relays that are not active, of one channel or many",
    discussion: """
      With --dry-run the command lists the channels and changes nothing.

      Example:
        batonctl channel retry "City News"
        batonctl channel retry "City News" relay-2
        batonctl channel retry --relay relay-2
        batonctl channel retry --filter '{"phase": "failed"}'
      """)

  @Argument(help: "Channel, by id or name.", completion: .names(of: .channel)) var channel: String?
  @Argument(help: "Relay, by id or name. Default: all that are not active.", completion: .names(of: .relay)) var relay: String?
  @Option(
    name: .customLong("relay"), help: "Relay, by id or name, to retry in all channels where it is failed or inactive.",
    completion: .names(of: .relay))
  var everywhere: String?
  @Option(help: "Condition in JSON that selects channels, such as '{\"custom.team\": \"news\"}'.") var filter: String?
  @Flag(name: .customLong("dry-run"), help: "List the channels, and change nothing.") var dryRun = false
  @OptionGroup var global: GlobalOptions

  private var isMany: Bool { everywhere != nil || filter != nil }

  func validate() throws {
    guard isMany != (channel != nil) else { throw ValidationError("Name one channel, or use --relay or --filter for many.") }
    if let filter, (try? JSONParser.parse(filter))?.object == nil {
      throw ValidationError("--filter must be a JSON object.")
    }
  }

  func run() async throws {
    try await global.connected { session in
      if let channel {
        try await retry(try await session.channel(channel), session)
      } else {
        try await retryMany(session)
      }
    }
  }

  private func retry(_ channel: Channel, _ session: Session) async throws {
    var relayID: Int64?
    if let relay { relayID = try await session.relay(relay).id }
    var shown = channel
    if !dryRun { shown = try await session.client.channels.retryRelay(id: channel.id, relayId: relayID) }
    try session.show(shown) { ChannelView(terminal: session.terminal, times: session.times).details(shown) }
  }

  private func retryMany(_ session: Session) async throws {
    var relayID: Int64?
    if let everywhere { relayID = try await session.relay(everywhere).id }
    var wanted: [String: JSONValue] = ["status": ["$in": .array(ChannelView.lost.map(JSONValue.string))]]
    if let relayID { wanted["relayId"] = .integer(relayID) }
    var conditions: [JSONValue] = [["relays": ["$elemMatch": .object(wanted)]]]
    if let filter = try filter.map({ try JSONParser.parse($0) }) { conditions.append(filter) }
    // The channels are read page by page, ordered by id, so that the pages are correct although retried channels leave the list.
    var request = ListRequest(filter: ["$and": .array(conditions)], limit: 500)
    var found: [Channel] = []
    var ids: [JSONValue] = []
    var gone = 0
    repeat {
      let page = try await session.client.channels.list(request)
      for channel in page.channels {
        if dryRun {
          found.append(channel)
        } else {
          do {
            _ = try await session.client.channels.retryRelay(id: channel.id, relayId: relayID)
          } catch let error as VarlinkError where Self.isGone(error) {
            gone += 1
            continue
          }
        }
        ids.append(.integer(channel.id))
        if !dryRun, ids.count % 1_000 == 0 { try session.say("\(ids.count) channels so far") }
      }
      request.cursor = page.nextCursor
    } while request.cursor != nil
    try session.show(JSONValue.object(["channels": .array(ids), "dryRun": .bool(dryRun)])) {
      guard !ids.isEmpty else { return "No channel lacks \(everywhere.map { "relay '\($0)'" } ?? "a relay")." }
      let count = counted(ids.count, "channel")
      if dryRun { return session.table(Self.columns(relayID), found) + "\n\(count). Nothing was changed." }
      let rest = gone == 0 ? "" : " \(gone) changed in the meantime and were skipped."
      return "Retrying \(count).\(rest) batonctl status shows the progress."
    }
  }

  /// Whether someone deleted the channel, or removed it from the relay, since the list was read.
  private static func isGone(_ error: VarlinkError) -> Bool {
    switch ChannelsRefusal(error) {
    case .noSuchChannel, .noSuchRelay, .notInChannel: true
    default: false
    }
  }

  /// - Parameter relayID: the relay to retry, or `nil` for all relays.
  private static func columns(_ relayID: Int64?) -> [TableColumn<Channel>] {
    [
      TableColumn("ID", rank: 0) { "\($0.id)" },
      TableColumn("NAME", rank: 0, least: 12) { $0.profile.displayName },
      TableColumn("WOULD BE RETRIED", rank: 0, least: 20) { channel in
        let lost = channel.members.filter {
          ChannelView.isLost($0) && (relayID == nil || $0.relayId == relayID)
        }
        return lost.map { "\($0.relayName) \($0.status)\($0.cause.map { " (\($0))" } ?? "")" }.joined(separator: ", ")
      },
    ]
  }
}
