import Channels
import Storage

@testable import Store

/// Messages as the store is to keep them, in lists that are searched from end to end.
struct MessageModel {
  struct Reaction {
    let channel: ChannelID
    var name: String?
    var post: PostID?
    var target: String
    let author: String
    var text: String
    var isOwn: Bool
  }
  struct Pending {
    let channel: ChannelID
    let name: String
    let author: String
    let at: Timestamp
  }
  struct Conversation {
    let since: Timestamp
    var readThrough: Int64 = 0
    var newest: Int64 = 0
    var isHidden = false
    /// Since when it is to be hidden.
    var hiddenAt: Timestamp?
    /// The name of the last message that was read.
    var readName: String?
    var marks = ConversationMarks()
  }
  /// A message, whether it is there or not.
  struct Name: Hashable {
    let channel: ChannelID
    let name: String
  }
  struct Message {
    /// Its revision stays 0.
    var row: MessageRow
    var relays: Set<RelayID> = []
    /// Whether someone has hidden this one.
    var isHiddenByHand = false
  }
  struct Person: Equatable {
    var name: String?
    var domainName: String?
    var namedAt: Timestamp?
    var mutedAt: Timestamp?
  }

  /// By id.
  var messages: [Message] = []
  /// By age.
  var reactions: [Reaction] = []
  var pending: [Pending] = []
  var conversations: [ChannelID: Conversation] = [:]
  var people: [String: Person] = [:]
  /// What was decided about messages, whether they are there or not.
  var hiddenNames: Set<Name> = []
  var pinnedNames: [Name: Timestamp] = [:]
  var id: Int64 = 0
  let limits: MessageLimits

  init(_ limits: MessageLimits) { self.limits = limits }

  // MARK: - What is read

  /// - Returns: how many are new, and how many were refused.
  mutating func take(_ read: ReadNews, at now: Timestamp) -> (new: Int, refused: Int) {
    let channel = read.news.channel
    guard let conversation = conversations[channel] else { return (0, 0) }
    switch read.news.what {
    case .message(let message):
      if let known = place(message.networkID, channel) {
        if let relay = read.relay { messages[known].relays.insert(relay) }
        let row = messages[known].row
        if row.post != nil, row.deletedAt == nil, row.attachments.isEmpty {
          messages[known].row.attachments = message.attachments
        }
        return (0, 0)
      }
      if let end = conversation.marks.truncatedAt, message.createdAt <= end { return (0, 0) }
      let isLive = read.news.isLive
      let row = MessageRow(
        id: MessageID(rawValue: 0), channel: channel, networkID: message.networkID, author: message.author,
        authorName: message.authorName, text: message.text, createdAt: message.createdAt, receivedAt: now,
        position: isLive ? now.milliseconds : min(message.createdAt, now).milliseconds, replyTo: message.replyTo,
        attachments: message.attachments, isMention: message.isMention, isOwn: message.isOwn,
        counts: !message.isOwn && (isLive || message.createdAt >= conversation.since), revision: 0)
      let isPinned = pinnedNames[Name(channel: channel, name: message.networkID)] != nil
      guard message.isOwn || hasRoom(row) || isPinned else { return (0, 1) }
      insert(row, read.relay.map { [$0] } ?? [])
      while let oldest = oldest(channel), loose(channel).count > keepMax(channel) { drop(oldest) }
      return (1, 0)
    case .edited(let name, let text):
      if let known = place(name, channel) {
        edit(known, text, now)
      } else if let reaction = reactions.firstIndex(where: { $0.channel == channel && $0.name == name }) {
        reactions[reaction].text = text
      }
      return (0, 0)
    case .deleted(let name, let author):
      if let known = place(name, channel) {
        if author == nil || author == messages[known].row.author { delete(known, now) }
      } else if let found = reactions.firstIndex(where: { $0.channel == channel && $0.name == name }) {
        let reaction = reactions[found]
        guard author == nil || author == reaction.author else { break }
        reactions.remove(at: found)
        wait(name, reaction.author, channel, now, limits.pendingDeletionsMax)
      } else {
        wait(name, author ?? "", channel, now, limits.pendingDeletionsMax)
      }
      return (0, 0)
    case .reaction(let reaction): return take(reaction, channel)
    case .profile(let profile): take(profile)
    case .members, .joinRequest, .removed, .memberCount: break  // `MemberStoreTests` has a model of these
    }
    return (0, 0)
  }

  private mutating func take(_ profile: ReadProfile) {
    guard let person = people[profile.author], person.namedAt.map({ $0 < profile.createdAt }) ?? true else { return }
    people[profile.author]?.name = profile.name
    people[profile.author]?.namedAt = profile.createdAt
    people[profile.author]?.domainName = profile.domainName
    guard person.name != profile.name else { return }
    let shown = messages.indices.filter {
      let row = messages[$0].row
      return row.author == profile.author && !row.isOwn && row.deletedAt == nil
    }
    let ordered = shown.sorted { Self.order(messages[$0].row) > Self.order(messages[$1].row) }
    let groups = Dictionary(grouping: ordered) { [messages[$0].isHiddenByHand, isMuted(messages[$0])] }
    for place in groups.values.flatMap({ $0.prefix(20) }) { messages[place].row.authorName = profile.name }
  }

  private mutating func take(_ read: ReadReaction, _ channel: ChannelID) -> (new: Int, refused: Int) {
    let isKnown = reactions.contains { $0.channel == channel && $0.name == read.networkID }
    let isDeleted = pending.contains {
      $0.channel == channel && $0.name == read.networkID && [read.author, ""].contains($0.author)
    }
    guard !isKnown, !isDeleted else { return (0, 0) }
    let others = reactions.filter { $0.channel == channel && $0.target == read.target && !$0.isOwn }
    guard read.isOwn || others.count < limits.reactionsMax else { return (0, 1) }
    reactions.append(
      Reaction(
        channel: channel, name: read.networkID, post: nil, target: read.target, author: read.author, text: read.text,
        isOwn: read.isOwn))
    if !read.isOwn {
      let waiting = reactions.indices.filter {
        reactions[$0].channel == channel && !reactions[$0].isOwn && place(reactions[$0].target, channel) == nil
      }
      for extra in waiting.dropLast(limits.pendingDeletionsMax).reversed() { reactions.remove(at: extra) }
    }
    return (1, 0)
  }

  private func place(_ name: String, _ channel: ChannelID) -> Int? {
    messages.firstIndex { $0.row.channel == channel && $0.row.networkID == name }
  }

  private func loose(_ channel: ChannelID) -> [Int] { kept(channel).filter { messages[$0].row.pinnedAt == nil } }

  private func keepMax(_ channel: ChannelID) -> Int { conversations[channel]?.marks.keep ?? limits.keepMax }

  private func kept(_ channel: ChannelID) -> [Int] {
    messages.indices.filter { messages[$0].row.channel == channel && !messages[$0].row.isOwn }
  }

  /// Whether it is hidden only because its author is muted.
  private func isMuted(_ message: Message) -> Bool { isHidden(message) && !message.isHiddenByHand }

  private func oldest(_ channel: ChannelID) -> Int? {
    let loose = loose(channel)
    let muted = loose.filter { isMuted(messages[$0]) }
    return (muted.isEmpty ? loose : muted).min { Self.order(messages[$0].row) < Self.order(messages[$1].row) }
  }

  static func order(_ row: MessageRow) -> (Int64, Int64) { (row.position, row.id.rawValue) }

  private func hasRoom(_ row: MessageRow) -> Bool {
    if loose(row.channel).count >= keepMax(row.channel), let oldest = oldest(row.channel) {
      let (isNewMuted, isOldMuted) = (people[row.author]?.mutedAt != nil, isMuted(messages[oldest]))
      if isNewMuted, !isOldMuted { return false }
      if isNewMuted == isOldMuted, row.position < messages[oldest].row.position { return false }
    }
    let same = kept(row.channel).filter {
      messages[$0].row.author == row.author && messages[$0].row.shownAt.minute == row.shownAt.minute
    }
    return same.count < limits.perAuthorAndMinute
  }

  private mutating func insert(_ row: MessageRow, _ relays: Set<RelayID>) {
    var row = row
    if let name = row.networkID { row.deletedAt = row.deletedAt ?? takePending(name, row.author, row.channel) }
    if row.deletedAt != nil { (row.text, row.attachments) = ("", []) }
    id += 1
    row.id = MessageID(rawValue: id)
    let name = row.networkID.map { Name(channel: row.channel, name: $0) }
    if row.deletedAt == nil { row.pinnedAt = name.flatMap { pinnedNames[$0] } }
    if let name, name.name == conversations[row.channel]?.readName { row.counts = false }
    let isHidden = row.post == nil && name.map(hiddenNames.contains) == true
    messages.append(Message(row: row, relays: relays, isHiddenByHand: isHidden))
    conversations[row.channel]?.newest = id
    if !row.isOwn {
      var person = people[row.author] ?? Person()
      let old = person.name
      if let name = row.authorName, name != old { (person.name, person.namedAt) = (name, row.createdAt) }
      people[row.author] = person
      messages[messages.count - 1].row.authorName = row.authorName ?? old
    }
    guard row.deletedAt == nil, !self.isHidden(messages[messages.count - 1]),
      let hiddenAt = conversations[row.channel]?.hiddenAt
    else { return }
    let isLive = row.post == nil && row.position == row.receivedAt.milliseconds
    if isLive || row.position >= hiddenAt.milliseconds { conversations[row.channel]?.isHidden = false }
  }

  private mutating func takePending(_ name: String, _ author: String, _ channel: ChannelID) -> Timestamp? {
    let at = pending.first { $0.channel == channel && $0.name == name && [author, ""].contains($0.author) }?.at
    if at != nil { pending.removeAll { $0.channel == channel && $0.name == name } }
    return at
  }

  private mutating func wait(_ name: String, _ author: String, _ channel: ChannelID, _ now: Timestamp, _ max: Int) {
    guard !pending.contains(where: { $0.channel == channel && $0.name == name && $0.author == author }) else { return }
    pending.append(Pending(channel: channel, name: name, author: author, at: now))
    let all = pending.indices.filter { pending[$0].channel == channel }
    for extra in all.dropLast(max).reversed() { pending.remove(at: extra) }
  }

  private mutating func drop(_ place: Int) {
    let row = messages.remove(at: place).row
    forgetPeople()
    reactions.removeAll { $0.channel == row.channel && $0.target == row.networkID }
  }

  private mutating func delete(_ place: Int, _ at: Timestamp) {
    guard messages[place].row.deletedAt == nil else { return }
    (messages[place].row.text, messages[place].row.attachments, messages[place].row.deletedAt) = ("", [], at)
    messages[place].row.pinnedAt = nil
  }

  private mutating func edit(_ place: Int, _ text: String, _ at: Timestamp?) {
    guard messages[place].row.deletedAt == nil, messages[place].row.text != text else { return }
    messages[place].row.text = text
    if let at { messages[place].row.editedAt = at }
  }

  // MARK: - Decisions

  mutating func mark(_ channel: ChannelID, _ marks: ConversationMarks) {
    guard let known = conversations[channel]?.marks else { return }
    conversations[channel]?.marks = marks
    defer {
      if let keep = marks.keep, keep < known.keep ?? .max {
        while let oldest = oldest(channel), loose(channel).count > keep { drop(oldest) }
      }
    }
    guard let end = marks.truncatedAt, known.truncatedAt.map({ $0 < end }) ?? true else { return }
    for place in messages.indices where messages[place].row.channel == channel {
      if messages[place].row.position <= end.milliseconds, messages[place].row.createdAt > end { delete(place, end) }
    }
    let gone = messages.filter { $0.row.channel == channel && $0.row.createdAt <= end }
    for message in gone { reactions.removeAll { $0.channel == channel && $0.target == message.row.networkID } }
    messages.removeAll { $0.row.channel == channel && $0.row.createdAt <= end }
    forgetPeople()
  }

  /// No one is known without messages who is not muted.
  mutating func forgetPeople() {
    people = people.filter { author, person in
      person.mutedAt != nil || messages.contains { $0.row.author == author && !$0.row.isOwn }
    }
  }

  // MARK: - Hidden messages

  func isHidden(_ message: Message) -> Bool {
    let row = message.row
    return row.deletedAt == nil && (message.isHiddenByHand || !row.isOwn && people[row.author]?.mutedAt != nil)
  }

  mutating func hide(_ id: Int64, _ isHidden: Bool) {
    guard let place = messages.firstIndex(where: { $0.row.id.rawValue == id }), messages[place].row.deletedAt == nil,
      messages[place].row.post == nil
    else { return }
    messages[place].isHiddenByHand = isHidden
    guard let name = name(of: place) else { return }
    if isHidden { hiddenNames.insert(name) } else { hiddenNames.remove(name) }
  }

  private func name(of place: Int) -> Name? {
    messages[place].row.networkID.map { Name(channel: messages[place].row.channel, name: $0) }
  }

  mutating func pin(_ id: Int64, _ time: Timestamp?) {
    guard let place = messages.firstIndex(where: { $0.row.id.rawValue == id }), messages[place].row.deletedAt == nil
    else { return }
    if (messages[place].row.pinnedAt == nil) != (time == nil) { messages[place].row.pinnedAt = time }
    if let name = name(of: place) { pinnedNames[name] = time.map { pinnedNames[name] ?? $0 } }
  }

  mutating func hide(_ channel: ChannelID, at time: Timestamp?) {
    conversations[channel]?.isHidden = time != nil
    conversations[channel]?.hiddenAt = time
  }

  mutating func read(_ channel: ChannelID, through id: Int64) {
    guard let known = conversations[channel], known.readThrough != id else { return }
    conversations[channel]?.readThrough = id
    let read = messages.filter {
      $0.row.channel == channel && $0.row.id.rawValue <= id && $0.row.deletedAt == nil && !isHidden($0)
    }
    conversations[channel]?.readName = read.max { Self.order($0.row) < Self.order($1.row) }?.row.networkID
  }

  mutating func end(_ channel: ChannelID) {
    messages.removeAll { $0.row.channel == channel }
    reactions.removeAll { $0.channel == channel }
    pending.removeAll { $0.channel == channel }
    hiddenNames = hiddenNames.filter { $0.channel != channel }
    pinnedNames = pinnedNames.filter { $0.key.channel != channel }
    forgetPeople()
  }

  mutating func mute(_ author: String, at time: Timestamp?) {
    guard people[author] != nil || time != nil else { return }
    people[author, default: Person()].mutedAt = time.map { people[author]?.mutedAt ?? $0 }
    forgetPeople()
  }

  /// The people that a question wants, who wrote last first.
  func list(_ question: PeopleQuestion) -> [(person: StoredPerson, minute: Int64)] {
    people.compactMap { author, person in
      let own = messages.map(\.row).filter { $0.author == author && !$0.isOwn }
      let there = own.filter { question.channel == nil || $0.channel == question.channel }
      guard question.channel == nil || !there.isEmpty else { return nil }
      if let isMuted = question.isMuted, isMuted != (person.mutedAt != nil) { return nil }
      if let text = question.text?.lowercased() {
        guard
          author.hasPrefix(text) || person.domainName == text
            || person.name?.lowercased().replacing("é", with: "e").contains(text) == true
        else {
          return nil
        }
      }
      let last = there.max { ($0.shownAt.minute, $0.shownAt, $0.id) < ($1.shownAt.minute, $1.shownAt, $1.id) }
      let stored = StoredPerson(
        author: author, name: person.name, domainName: person.domainName, mutedAt: person.mutedAt, messages: there.count,
        channels: Set(own.map(\.channel)).sorted(),
        last: last?.id, lastAt: last?.shownAt)
      return (stored, last?.shownAt.minute ?? 0)
    }
    .sorted { ($0.minute, $0.person.author) > ($1.minute, $1.person.author) }
  }

  // MARK: - Posts

  mutating func mirror(_ post: MirroredPost) -> Int {
    guard conversations[post.channel] != nil else { return 0 }
    if let removed = post.removed {
      guard let place = place(removed, post.channel), messages[place].row.post == nil, let at = post.deletedAt else { return 0 }
      delete(place, at)
      return 0
    }
    return post.reactionTo.map { mirrorReaction(post, $0) } ?? mirrorMessage(post)
  }

  private mutating func mirrorMessage(_ post: MirroredPost) -> Int {
    let named = post.networkID.flatMap { self.place($0, post.channel) }
    var place = messages.firstIndex { $0.row.post == post.post }
    if place == nil, named == nil {
      if let end = conversations[post.channel]?.marks.truncatedAt, post.createdAt <= end { return 0 }
      insert(
        MessageRow(
          id: MessageID(rawValue: 0), channel: post.channel, networkID: post.networkID, author: post.author, text: post.text,
          createdAt: post.createdAt, receivedAt: post.createdAt, position: post.createdAt.milliseconds, isOwn: true,
          post: post.post, deletedAt: post.deletedAt, revision: 0), [])
      return 1
    }
    if let place, let named, named != place {
      messages[place].relays.formUnion(messages[named].relays)
      messages[named].relays = []
      if messages[place].row.deletedAt == nil, messages[place].row.attachments.isEmpty {
        messages[place].row.attachments = messages[named].row.attachments
      }
      if messages[named].row.deletedAt != nil { delete(place, messages[named].row.receivedAt) }
      delete(named, messages[named].row.receivedAt)
      messages[named].row.networkID = nil
    } else if let named, place == nil {
      (messages[named].row.post, messages[named].row.isOwn, messages[named].row.counts) = (post.post, true, false)
      messages[named].isHiddenByHand = false
      forgetPeople()
      place = named
    }
    guard let place else { return 0 }
    var deletedAt = post.deletedAt
    if let name = post.networkID, name != messages[place].row.networkID {
      messages[place].row.networkID = name
      if let time = messages[place].row.pinnedAt {
        let key = Name(channel: post.channel, name: name)
        pinnedNames[key] = pinnedNames[key] ?? time
      }
      let asked = takePending(name, messages[place].row.author, post.channel)
      deletedAt = deletedAt ?? asked
    }
    if let deletedAt { delete(place, deletedAt) } else { edit(place, post.text, nil) }
    return 0
  }

  private mutating func mirrorReaction(_ post: MirroredPost, _ target: String) -> Int {
    var known = reactions.firstIndex { $0.post == post.post }
    let named = reactions.firstIndex { $0.channel == post.channel && $0.name != nil && $0.name == post.networkID }
    if let named, named != known {
      if known == nil {
        (reactions[named].post, reactions[named].isOwn, known) = (post.post, true, named)
      } else {
        reactions.remove(at: named)
        known = reactions.firstIndex { $0.post == post.post }
      }
    }
    if let at = post.deletedAt {
      if let known { reactions.remove(at: known) }
      if let name = post.networkID { wait(name, post.author, post.channel, at, MessageLimits().pendingDeletionsMax) }
      return 0
    }
    guard let known else {
      reactions.append(
        Reaction(
          channel: post.channel, name: post.networkID, post: post.post, target: target, author: post.author, text: post.text,
          isOwn: true))
      return 1
    }
    if let name = post.networkID { reactions[known].name = name }
    reactions[known].target = target
    reactions[known].text = post.text
    return 0
  }

  // MARK: - What is asked

  /// A message with all that belongs to it, without its revision.
  func stored(_ message: Message) -> StoredMessage {
    var row = message.row
    row.isHidden = isHidden(message)
    var found: [StoredMessage.Reaction] = []
    if row.deletedAt == nil, let name = row.networkID {
      let mine = reactions.filter { reaction in
        reaction.channel == row.channel && reaction.target == name
          && (reaction.isOwn || people[reaction.author]?.mutedAt == nil)
      }
      for text in Set(mine.map(\.text)) {
        let same = mine.filter { $0.text == text }
        found.append(.init(text: text, count: Set(same.map(\.author)).count, isOwn: same.contains(where: \.isOwn)))
      }
    }
    return StoredMessage(
      row: row, relays: message.relays.sorted(), reactions: found.sorted { ($1.count, $0.text) < ($0.count, $1.text) },
      answers: row.replyTo.flatMap { place($0, row.channel) }.map { messages[$0].row.id })
  }

  func conversation(_ channel: ChannelID) -> ConversationRow? {
    guard let conversation = conversations[channel] else { return nil }
    let alive = messages.filter { !isHidden($0) }.map(\.row).filter { $0.channel == channel && $0.deletedAt == nil }
    let unread = alive.filter { $0.counts && $0.id.rawValue > conversation.readThrough }
    let last = alive.max { Self.order($0) < Self.order($1) }
    return ConversationRow(
      channel: channel, since: conversation.since, readThrough: MessageID(rawValue: conversation.readThrough),
      unread: unread.count, unreadMentions: unread.filter(\.isMention).count, last: last?.id, lastPosition: last?.position,
      lastAt: last?.shownAt, isHidden: conversation.isHidden, marks: conversation.marks, revision: 0)
  }

  /// All messages that a question is about, the last place first.
  func list(_ question: MessageQuestion) -> [StoredMessage] {
    let answered = messages.first { $0.row.id == question.answersTo }?.row
    return messages.filter { message in
      let row = message.row
      let isAnswer = answered?.networkID.map { row.channel == answered?.channel && row.replyTo == $0 } ?? false
      return (question.answersTo == nil || isAnswer) && (!question.isPinned || row.pinnedAt != nil)
        && (question.channel == nil || row.channel == question.channel) && isHidden(message) == question.isHidden
        && (question.withDeleted || row.deletedAt == nil)
        && (question.author == nil || row.author == question.author) && (question.isOwn == nil || row.isOwn == question.isOwn)
        && (question.isMention == nil || row.isMention == question.isMention)
        && (question.hasAttachments == nil || row.attachments.isEmpty != question.hasAttachments)
    }
    .sorted { Self.order($0.row) > Self.order($1.row) }.map(stored)
  }
}
