internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import Storage

/// Pages of the history of all channels.
struct TransitionPages: Sendable {
  private static let fields = ListFields(of: Interfaces.monitor, listedBy: "Transitions")

  private let context: ControlContext
  private let seek: TransitionSeek
  private var pages: HistoryPages<ChannelTransition>

  /// - Throws: `invalidFilter`, or `InvalidParameter`.
  init(_ request: MonitorTransitionsRequest, _ context: ControlContext) throws {
    self.context = context
    pages = try HistoryPages(
      filter: request.filter, limit: request.limit, cursor: request.cursor, fields: Self.fields, isDated: true, context)
    seek = TransitionSeek(pages.filter)
  }

  /// The next page.
  mutating func next() async throws -> MonitorTransitionsReply {
    let (context, seek) = (context, seek)
    let revision = try await context.store.counters().revision
    let relays = Dictionary(uniqueKeysWithValues: context.coordinator.relays.map { ($0.id, $0) })
    // Names take longer than all the rest, and only lines that are wanted need one.
    let asksForNames = pages.filter.fields.contains("channelName")
    let (lines, cursor) = try await pages.next(at: revision) { before, limit in
      let part = try await context.store.transitions(matching: seek, before: before, limit: limit)
      let names = asksForNames ? try await context.channelNames.of(Set(part.rows.map(\.channel)), context) : [:]
      return (part.rows.map { Self.line($0, names[$0.channel]?.name, relays[$0.relay]) }, part.next)
    }
    let names = try await context.channelNames.of(Set(lines.map { ChannelID(rawValue: $0.channelId) }), context)
    let named = lines.map { line in
      var line = line
      line.channelName = names[ChannelID(rawValue: line.channelId)]?.name
      return line
    }
    return MonitorTransitionsReply(transitions: named, nextCursor: cursor, revision: revision)
  }

  private static func line(_ row: TransitionRow, _ channel: String?, _ relay: RelayRow?) -> ChannelTransition {
    let transition = row.transition
    return ChannelTransition(
      revision: row.revision, channelId: row.channel.rawValue, channelName: channel, relayId: row.relay.rawValue,
      relayName: relay?.name ?? "relay \(row.relay.rawValue)", operatorId: relay?.relayOperator?.rawValue,
      from: transition.from.rawValue, to: transition.to.rawValue, cause: transition.cause?.rawValue,
      detail: transition.detail, attempt: transition.attempt, time: transition.at.text)
  }
}
