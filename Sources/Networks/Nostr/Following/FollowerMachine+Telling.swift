internal import Channels
internal import RelayNetwork

// Reports of the events that a relay serves.
extension FollowerMachine {
  /// Reports the members of groups, and wants their names.
  mutating func membersServed() -> [Action] {
    timeoutsInARow = 0
    let (news, actions) = members.served()
    for item in news {
      guard case .members(let list) = item.what else { continue }
      for entry in list.entries.prefix(Self.namedMax) where !entry.isOwn { profiles.want(entry.author, in: item.channel) }
    }
    outbox.add(news)
    return actions
  }

  /// Handles an event that came under the name of a subscription.
  mutating func hearLive(_ event: NostrEvent, _ name: String) {
    let isMark = marks.asks(name)
    guard isMark || live.asks(name), !seen.contains(event.id) else { return }
    let channel = isMark ? nil : followed.channel(of: event)
    guard isMark || channel != nil else { return }
    guard !outbox.isFull else {
      // No one can process so much. It is asked for again.
      if let channel { pages.read(channel.id, since: now) } else { marks.miss() }
      return
    }
    guard (try? event.verify()) != nil else { return }
    if isMark {
      let named = event.deletedIDs + (event.reactionTarget.map { [$0] } ?? [])
      let isDeletion = event.kind == NostrPost.deletionKind
      let about = named.reduce(into: [:]) { $0[$1] = marks.channel(of: $1, isDeletion: isDeletion) }
      tell(event, about: about, isLive: marks.isLive(name), isAgain: false)
    } else {
      tell(event, isLive: live.isLive(name), isAgain: false)
    }
  }

  /// Of how many people in a list the names are asked for.
  private static let namedMax = 100

  /// Reports the news in a verified event of a channel, unless it was reported before.
  mutating func tell(_ event: NostrEvent, isLive: Bool, isAgain: Bool) {
    guard let channel = followed.channel(of: event) else { return }
    if GroupMembers.changingKinds.contains(event.kind) { members.want(channel.id) }
    if event.kind == NostrPost.channelMessageKind {
      marks.add(event.id, in: channel.id, date: isLive ? now : min(event.createdAt, now))
    }
    // Known authors too: their names may have changed.
    if event.kind == NostrPost.channelMessageKind || event.kind == NostrPost.groupMessageKind, event.publicKey != channel.ownKey
    {
      profiles.want(event.publicKey, in: channel.id)
    }
    guard isAgain || !seen.contains(event.id) else { return }
    seen.insert(event.id)
    outbox.add(channel.news(of: event, isLive: isLive))
  }

  /// Looks here, too, for deletions of a message that another relay of a channel has served, and for reactions to it.
  mutating func hear(_ news: MessageNews) {
    guard followed[news.channel]?.kind == .channel else { return }
    switch news.what {
    case .message(let message):
      let date = message.createdAt.milliseconds / 1_000
      marks.add(message.networkID, in: news.channel, date: now == 0 ? date : news.isLive ? now : min(date, now))
      // New messages are watched from the beginning.
      if !news.isLive { pages.hear(message.networkID, in: news.channel) }
    case .reaction(let reaction):
      if news.isLive {
        marks.add(reaction.networkID, in: news.channel, date: now, isReaction: true)
      } else {
        pages.hear(reaction.networkID, in: news.channel, isReaction: true)
      }
    case .edited, .deleted, .removed, .profile, .joinRequest, .members, .memberCount: break
    }
  }

  /// Reports the news in a verified deletion or reaction that names no channel.
  /// - Parameter about: the channel of a message or reaction that was asked for.
  mutating func tell(
    _ event: NostrEvent, about: [String: ChannelID], isLive: Bool, isAgain: Bool
  ) {
    switch event.kind {
    case NostrPost.reactionKind:
      guard let id = event.reactionTarget.flatMap({ about[$0] }), let channel = followed[id], channel.kind == .channel else {
        return
      }
      marks.add(event.id, in: id, date: isLive ? now : min(event.createdAt, now), isReaction: true)
      guard isAgain || !seen.contains(event.id) else { return }
      seen.insert(event.id)
      outbox.add(channel.news(of: event, isLive: isLive))
    case NostrPost.deletionKind:
      guard isAgain || !seen.contains(event.id) else { return }
      let deleted = event.deletedIDs
      var news: [MessageNews] = []
      for target in deleted {
        guard let id = about[target], followed[id]?.kind == .channel else { continue }
        news.append(MessageNews(channel: id, isLive: isLive, what: .deleted(networkID: target, author: event.publicKey)))
      }
      // The other messages that it names may be asked for later.
      if news.count == deleted.count { seen.insert(event.id) }
      outbox.add(news)
    default: break
    }
  }
}
