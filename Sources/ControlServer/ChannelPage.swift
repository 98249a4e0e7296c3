internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import Storage
internal import StrictJSON

/// A page of a list of channels, while it is put together.
struct ChannelPage {
  private static let scanSize = 256
  /// The size at which a page ends at the latest, even with few channels, because clients limit the size of a reply.
  private static let bytesMax = 1 << 20
  /// How long one page may take. After that it ends early, with a cursor for the next one.
  private static let timeMax = Duration.seconds(2)

  private var channels: [Channel] = []
  private var bytes = 0
  private var unreadable: [Int] = []
  /// The page is true at the revision of the first read: what changed since is newer in itself and comes again by Watch.
  private var revision: Int64?

  private func reply(_ cursor: String?) -> ChannelsListReply {
    ChannelsListReply(
      channels: channels, nextCursor: cursor, unreadable: unreadable.isEmpty ? nil : unreadable, revision: revision ?? 0)
  }

  /// The channels that a list asks for, from where the page before ended.
  static func read(_ query: ListQuery, _ context: ControlContext) async throws -> ChannelsListReply {
    let begin = ContinuousClock.now
    let asksForPhase = query.filter.fields.contains("phase")
    var page = ChannelPage()
    var last = query.after
    // Most filters can be expressed entirely in the database. Then only channels of the page are read.
    var partMax = min(scanSize, query.limit + 1)
    while true {
      try Task.checkCancellation()
      let part = try await context.store.channels(
        matching: query.filter, in: query.order, withDeleted: asksForPhase, after: last, limit: partMax)
      if !query.filter.fields.isEmpty { partMax = scanSize }
      page.revision = page.revision ?? part.revision
      page.unreadable += part.unreadable.map { Int($0.rawValue) }
      // The numbers are the ones by which the page is ordered. Only the words are read a moment later.
      let said = await context.activities.conversations(
        of: Set(part.conversations.map { Array($0.keys) } ?? part.channels.map(\.row.id)))
      // The caller is not known on the other thread.
      let numbers = Caller.mayRead ? part.conversations : [:]
      let found = try await context.slowly {
        let maker = context.coordinator.snapshotMaker
        return part.channels.map { channel in
          let id = channel.row.id
          var conversation = numbers.map { $0[id] } ?? said[id]
          conversation?.preview = said[id]?.preview
          return Channel(
            maker.snapshot(channel), ChannelActivity(lastPost: part.lastPosts[id], conversation: conversation))
        }.filter(query.matches)
      }
      if let end = page.take(found, upTo: query.limit) { return page.reply(query.cursor(after: query.values(of: end))) }
      guard let next = part.last else { return page.reply(nil) }
      last = next
      if ContinuousClock.now - begin > timeMax { return page.reply(query.cursor(after: next)) }
    }
  }

  /// Puts channels on the page until it is full.
  /// - Returns: the page's last channel, if there is one that no longer fits.
  private mutating func take(_ found: [Channel], upTo limit: Int) -> Channel? {
    for channel in found {
      if channels.count == limit || bytes > Self.bytesMax, let end = channels.last { return end }
      channels.append(channel)
      bytes += channel.roughBytes
    }
    return nil
  }
}

extension Channel {
  /// The approximate size of the written channel in bytes. An exact count would require writing it.
  fileprivate var roughBytes: Int {
    let texts = [profile.displayName, profile.fullName, profile.description, profile.image, link, lastPost, lastMessage]
    let own =
      texts.reduce(512) { $0 + ($1?.utf8.count ?? 0) } + (profile.preferences?.roughBytes ?? 0) + (custom?.roughBytes ?? 0)
    return relays.reduce(own) { $0 + $1.roughBytes }
  }
}

extension ChannelRelay {
  fileprivate var roughBytes: Int {
    256 + relayName.utf8.count + (detail?.utf8.count ?? 0) + (relayLink?.utf8.count ?? 0)
  }
}
