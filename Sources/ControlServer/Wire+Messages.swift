internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Filters
internal import RelayNetwork
internal import Storage
internal import Varlink

// Messages from the domain to the wire, and back.

/// The context in which messages and conversations are shown: the names of their channels, and the progress of own posts. It is read once
/// for a page.
struct MessageSurroundings {
  private let channels: [ChannelID: ChannelNames.Entry]
  private let posts: [PostID: PostSnapshot]

  /// - Parameter others: channels that are needed besides the channels of the messages.
  /// - Throws: the errors of reading the store.
  init(of messages: [StoredMessage], and others: [ChannelID] = [], _ context: ControlContext) async throws {
    let wanted = Set(messages.map(\.row.channel)).union(others)
    let own = Set(messages.compactMap(\.row.post))
    guard !own.isEmpty else {
      channels = try await context.channelNames.of(wanted, context)
      posts = [:]
      return
    }
    let found = try await context.store.channels(wanted).found
    channels = found.mapValues(ChannelNames.Entry.init)
    // They are read after the messages: a post that changes later gives its message a new revision.
    let stored = Array(try await context.posts.posts(own).found.values)
    let snapshots = context.coordinator.snapshots(stored, in: found)
    posts = Dictionary(snapshots.map { ($0.row.id, $0) }) { first, _ in first }
  }

  func name(of channel: ChannelID) -> String {
    channels[channel]?.name ?? "channel \(channel.rawValue)"
  }

  func network(of channel: ChannelID) -> NetworkKind { channels[channel]?.network ?? .nostr }

  func isOwned(_ channel: ChannelID) -> Bool { channels[channel]?.isOwned ?? true }

  func post(_ id: PostID) -> PostSnapshot? { posts[id] }
}

extension ControlContext {
  /// Messages as clients see them, in the same order.
  func wire(_ messages: [StoredMessage]) async throws -> [Message] {
    let surroundings = try await MessageSurroundings(of: messages, self)
    return messages.map { Message($0, surroundings) }
  }

  /// Conversations as clients see them, in the same order.
  func wire(_ conversations: [StoredConversation]) async throws -> [Conversation] {
    let surroundings = try await MessageSurroundings(of: [], and: conversations.map(\.row.channel), self)
    return conversations.map { Conversation($0, surroundings) }
  }
}

extension Message {
  /// The number of reactions that are shown besides own ones. Anyone may react with any text.
  static let reactionsMax = 50

  init(_ message: StoredMessage, _ surroundings: MessageSurroundings) {
    let row = message.row
    let others = message.reactions.dropFirst(Self.reactionsMax).filter(\.isOwn)
    self.init(
      id: row.id.rawValue, channelId: row.channel.rawValue, channelName: surroundings.name(of: row.channel),
      network: surroundings.network(of: row.channel).rawValue, networkId: row.networkID, author: row.author,
      authorName: row.authorName, text: row.text, own: row.isOwn, mention: row.isMention,
      post: row.post.flatMap { surroundings.post($0) }.map(OwnPost.init), replyTo: message.answers.map { Int($0.rawValue) },
      replyToNetworkId: row.replyTo, attachments: row.attachments.map(MessageAttachment.init),
      reactions: (message.reactions.prefix(Self.reactionsMax) + others).map(MessageReaction.init),
      relayIds: message.relays.map(\.rawValue), place: Int(row.position), time: row.shownAt.textOfAnybody,
      createdAt: row.createdAt.textOfAnybody, receivedAt: row.receivedAt.text, editedAt: row.editedAt?.textOfAnybody,
      deletedAt: row.deletedAt?.textOfAnybody, hidden: row.isHidden,
      pinned: row.pinnedAt != nil, revision: row.revision)
  }
}

extension Timestamp {
  /// The last time of a year with four digits.
  private static let lastMilliseconds: Int64 = 253_402_300_799_999

  /// The text of a time that someone made up: others cannot read what lies outside of the years 1970 to 9999.
  var textOfAnybody: String {
    Timestamp(milliseconds: min(max(milliseconds, 0), Self.lastMilliseconds)).text
  }
}

extension OwnPost {
  fileprivate init(_ snapshot: PostSnapshot) {
    self.init(
      id: snapshot.row.id.rawValue, phase: snapshot.phase.rawValue, summary: snapshot.summary, relayCount: snapshot.relayCount,
      shownCount: snapshot.shownCount)
  }
}

extension MessageAttachment {
  fileprivate init(_ attachment: ReadAttachment) {
    self.init(
      url: attachment.url, mimeType: attachment.mimeType, sizeBytes: attachment.sizeBytes.map { Int($0) },
      altText: attachment.altText)
  }
}

extension MessageReaction {
  fileprivate init(_ reaction: StoredMessage.Reaction) {
    self.init(reaction: reaction.text, count: reaction.count, own: reaction.isOwn)
  }
}

extension SearchHit {
  /// - Parameter message: the message of the hit.
  init(_ hit: MessageHit, _ message: Message) {
    self.init(message: message, excerpt: hit.excerpt.map { ExcerptPiece(text: $0.text, hit: $0.isHit) })
  }
}

extension Conversation {
  init(_ conversation: StoredConversation, _ surroundings: MessageSurroundings) {
    let (row, last) = (conversation.row, conversation.last?.row)
    self.init(
      channelId: row.channel.rawValue, channelName: surroundings.name(of: row.channel),
      owned: surroundings.isOwned(row.channel), unread: row.unread,
      unreadMentions: row.unreadMentions, readThrough: Int(row.readThrough.rawValue),
      lastMessageAt: last?.shownAt.textOfAnybody,
      lastMessage: last.map { LastPost.preview(of: $0.text) }, lastMessageId: last?.id.rawValue,
      memberCount: row.memberCount, relays: conversation.syncs.map(Freshness.init), muted: row.marks.isMuted,
      pinned: row.marks.isPinned,
      hidden: row.isHidden,
      truncatedAt: row.marks.truncatedAt?.text, revision: row.revision)
  }
}

extension Freshness {
  fileprivate init(_ sync: MessageSyncRow) {
    self.init(
      relayId: sync.relay.rawValue, syncedAt: sync.completeAt?.text, cause: sync.trouble?.cause.rawValue,
      detail: sync.trouble?.detail)
  }
}

extension SearchedRelay {
  init(_ relay: RelayID, name: String, _ outcome: RelaySearchOutcome) {
    var trouble: Trouble?
    if case .failed(let why) = outcome { trouble = why }
    self.init(
      relayId: relay.rawValue, relayName: name, outcome: outcome.word, cause: trouble?.cause.rawValue, detail: trouble?.detail)
  }
}

extension RelaySearchOutcome {
  fileprivate var word: String {
    switch self {
    case .complete: "searched"
    case .notOffered: "notOffered"
    case .failed: "failed"
    }
  }
}

/// The size of pages of messages.
enum MessagePages {
  static let limitDefault = 25
  static let limitMax = 100

  /// - Throws: `InvalidParameter`.
  static func limit(_ wanted: Int?) throws -> Int {
    let limit = wanted ?? limitDefault
    guard (1...limitMax).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
    return limit
  }
}

extension MessageQuestion {
  /// - Throws: `InvalidParameter`.
  init(_ request: MessagesListRequest) throws {
    let isPinned = request.pinned ?? false
    if isPinned, request.channelId == nil { throw VarlinkError.invalidParameter("pinned") }
    self.init(
      channel: request.channelId.map(ChannelID.init(rawValue:)), author: request.author, isOwn: request.own,
      isMention: request.mention, hasAttachments: request.attachments, withDeleted: request.deleted ?? false,
      isHidden: request.hidden ?? false, isPinned: isPinned,
      answersTo: request.answersTo.map { MessageID(rawValue: Int64($0)) },
      place: try Self.place(request), limit: try MessagePages.limit(request.limit))
  }

  private static func place(_ request: MessagesListRequest) throws -> Place {
    func id(_ value: Int) -> MessageID { MessageID(rawValue: Int64(value)) }
    var places: [(name: String, place: Place)] = []
    if let before = request.before { places.append(("before", .before(id(before)))) }
    if let after = request.after { places.append(("after", .after(id(after)))) }
    if let around = request.around { places.append(("around", .around(id(around)))) }
    // They exclude each other.
    if places.count > 1 { throw VarlinkError.invalidParameter(places[1].name) }
    return places.first?.place ?? .newest
  }

  /// The message next to which the page is, or `nil` for the newest page.
  var anchor: MessageID? {
    switch place {
    case .newest: nil
    case .before(let id), .after(let id), .around(let id): id
    }
  }
}

extension MessageSearch {
  private static let textMax = 1_000
  private static let offsetMax = 10_000

  /// - Throws: `InvalidSearch`, or `InvalidParameter`.
  init(_ request: MessagesSearchRequest) throws {
    let offset = request.offset ?? 0
    guard (0...Self.offsetMax).contains(offset) else { throw VarlinkError.invalidParameter("offset") }
    if let reason = Self.trouble(with: request.text) { throw MessagesRefusal.invalidSearch(reason: reason) }
    self.init(
      text: request.text, channel: request.channelId.map(ChannelID.init(rawValue:)),
      isNewestFirst: request.newestFirst ?? false, offset: offset, limit: try MessagePages.limit(request.limit))
  }

  /// Why words cannot be searched, or `nil` if they can.
  private static func trouble(with text: String) -> String? {
    guard text.utf8.count <= textMax else { return "it has more than 1,000 bytes. Leave out some words" }
    let hasWord = text.folded.unicodeScalars.contains { $0.isInWords }
    return hasWord ? nil : "it contains no letter or digit, and only words are searched"
  }
}

extension Unicode.Scalar {
  /// Whether it is a letter or a number, as the index of words has it.
  fileprivate var isInWords: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
      .otherNumber:
      true
    default: false
    }
  }
}

extension ConversationQuestion {
  /// - Returns: a question for one conversation more than fits on the page, so that it is known whether there are others.
  /// - Throws: `InvalidParameter`.
  init(_ request: MessagesInboxRequest) throws {
    let place = request.cursor.map(Place.init(cursor:))
    if case .some(.none) = place { throw VarlinkError.invalidParameter("cursor") }
    self.init(
      isUnread: request.unread ?? false, isHidden: request.hidden ?? false, after: place ?? nil,
      limit: try MessagePages.limit(request.limit) + 1)
  }
}

extension ConversationQuestion.Place {
  /// The place as a client keeps it.
  var cursor: String { "\(lastPosition).\(channel.rawValue)" }

  /// - Returns: `nil` if the text is not a cursor.
  init?(cursor: String) {
    let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let position = Int64(parts[0]), let channel = Int64(parts[1]) else { return nil }
    self.init(lastPosition: position, channel: ChannelID(rawValue: channel))
    // There is one way to write a place.
    guard self.cursor == cursor else { return nil }
  }
}
