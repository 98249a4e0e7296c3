internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import StrictJSON

extension ChannelCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List channels",
      discussion: """
        RELAYS: active and wanted relays, or the relays that a followed channel is read from. WORK: relays with pending \
        work; -o wide shows what. Options combine: --relay R --status failed lists channels that failed on R.

        Example:
          batonctl channel list --phase degraded
        """, aliases: ["ls"])
    @OptionGroup var list: ListOptions
    @Option(
      help:
        "Only channels in this phase: creating, partial, active, degraded, failed, deleting, deleted or followed. May be repeated.",
      completion: .list(Words.phases), transform: Words.one(of: Words.phases))
    var phase: [String] = []
    @Option(
      help: "Only channels on this relay, by id or name. May be repeated: any of the relays matches.",
      completion: .names(of: .relay))
    var relay: [String] = []
    @Option(
      help:
        "Only channels with a relay in this status: new, invited, accepted, active, inactive, failed or removed. May be repeated.",
      completion: .list(Words.statuses), transform: Words.one(of: Words.statuses))
    var status: [String] = []
    @Option(
      help: "Only channels on a relay of this operator, by id or name, or own for a relay without an operator.",
      completion: .names(of: .provider, or: ["own"]))
    var `operator`: String?
    @Option(
      help: "Only channels held up at a relay by this cause, such as timeout or rejected. May be repeated.",
      completion: .list(Words.causes),
      transform: Words.one(of: Words.causes))
    var cause: [String] = []
    @Flag(help: "Only channels with pending work.") var busy = false
    @Option(help: "Maximum number of channels to list, 1 to 1000.") var limit: Int = 100
    @Flag(help: "List all channels.") var all = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
      guard (1...Self.pageMax).contains(limit) else { throw ValidationError("--limit must be 1 to \(Self.pageMax).") }
      _ = try list.table.chosen(of: Self.columns)
    }

    /// The largest number of channels in one reply of the daemon.
    private static let pageMax = 1000

    func run() async throws {
      try await global.connected(list.table.show) { session in
        // Do not write `busy ? … : nil`: that `nil` would be JSON's null.
        let work: [JSONValue?] = busy ? [ChannelWork.condition] : []
        let condition = list.condition([Words.condition("phase", phase), try await relays(session)] + work)
        let columns = try list.table.chosen(of: Self.columns)
        try await session.list(list, of: "channel", changedBy: ["channel"]) { session in
          let (channels, hasMore) = try await channels(session, condition)
          let none = condition == nil ? "No channels. Create one with batonctl channel create NAME." : "No channels match."
          let more = hasMore ? "There are more channels: add --all." : nil
          return Listing(objects: channels, columns: columns, none: none, more: more) {
            Row(channel: $0, times: session.times)
          }
        }
      }
    }

    /// The condition of `--relay`, `--operator`, `--status` and `--cause`: one relay of the channel must meet all of them.
    private func relays(_ session: Session) async throws -> JSONValue? {
      let owner = try await session.ownership(self.operator)
      guard !relay.isEmpty || !status.isEmpty || !cause.isEmpty || owner != nil else { return nil }
      // Without --status, relays from which the channel was removed do not count.
      let statuses = status.isEmpty ? Words.statuses.filter { $0 != "removed" } : status
      var wanted: [String: JSONValue] = ["status": ["$in": .array(statuses.map(JSONValue.string))]]
      for condition in [try await session.relays(relay), owner, Words.condition("cause", cause)] {
        wanted.merge(condition?.object ?? [:]) { $1 }
      }
      return ["relays": ["$elemMatch": .object(wanted)]]
    }

    /// Reads channels page by page, up to the limit.
    private func channels(
      _ session: Session, _ condition: JSONValue?
    ) async throws -> (channels: [Channel], hasMore: Bool) {
      var request = ListRequest(filter: condition, sort: list.order)
      var channels: [Channel] = []
      repeat {
        // Not all channels that match the condition of `--busy` have work.
        request.limit = all || busy ? Self.pageMax : limit - channels.count
        let page = try await session.client.channels.list(request)
        channels += page.channels.filter { !busy || !ChannelWork.of($0).isEmpty }
        request.cursor = page.nextCursor
      } while (all || channels.count < limit) && request.cursor != nil
      let isCut = !all && channels.count > limit
      return (isCut ? Array(channels.prefix(limit)) : channels, isCut || request.cursor != nil)
    }

    struct Row {
      let channel: Channel
      let times: Times
    }

    static let columns: [TableColumn<Row>] = [
      TableColumn("ID", rank: 0) { "\($0.channel.id)" },
      TableColumn("NAME", rank: 0, least: 12) { $0.channel.profile.displayName },
      TableColumn("PHASE", rank: 1, color: { .of($0.channel.phase) }) { $0.channel.phase },
      TableColumn("RELAYS", rank: 2) { row in
        row.channel.owned
          ? "\(ChannelView.activeCount(row.channel))/\(row.channel.wantedRelays)" : "\(row.channel.readRelayIds.count)"
      },
      TableColumn("WORK", rank: 3, color: { _ in .yellow }) { row in
        let count = ChannelWork.of(row.channel).count
        return count == 0 ? "" : "\(count)"
      },
      TableColumn("CHANGED", rank: 4) { $0.times.text($0.channel.updatedAt) },
      TableColumn("NETWORK", rank: 5, isExtra: true) { $0.channel.network },
      TableColumn("IDENTITY", rank: 6, least: 12, isExtra: true) { $0.channel.identity },
      TableColumn("KIND", rank: 7, isExtra: true) { $0.channel.kind },
      TableColumn("EDITION", rank: 8, isExtra: true) { "\($0.channel.edition)" },
      TableColumn("HEAL", rank: 9, isExtra: true) { $0.channel.heal ? "yes" : "no" },
      TableColumn("CREATED", rank: 10, isExtra: true) { $0.times.text($0.channel.createdAt) },
      TableColumn("POSTED", rank: 11, isExtra: true) { $0.times.text($0.channel.lastPostAt) },
      TableColumn("UNREAD", rank: 15, isExtra: true) { "\($0.channel.unread)" },
      TableColumn("MENTIONS", rank: 16, isExtra: true) { "\($0.channel.unreadMentions)" },
      TableColumn("MEMBERS", rank: 20, isExtra: true) { $0.channel.memberCount.map { "\($0)" } ?? "" },
      TableColumn("SAID", rank: 17, isExtra: true) { $0.times.text($0.channel.lastMessageAt) },
      TableColumn("MARKS", rank: 18, isExtra: true) { ChannelView.marks($0.channel) ?? "" },
      TableColumn("REVISION", rank: 12, isExtra: true) { "\($0.channel.revision)" },
      TableColumn("DOING", rank: 13, least: 16, isExtra: true) { ChannelWork.words($0.channel) },
      TableColumn("LINK", rank: 14, least: 24, isExtra: true) { $0.channel.link ?? "" },
    ]
  }
}
