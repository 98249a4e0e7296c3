internal import Channels
internal import ControlAPI
internal import Coordinator
internal import RelayNetwork
internal import Storage
internal import StrictJSON
internal import Varlink

// Posts from the domain to the wire, and back.

extension PostRelay {
  init(_ relay: PostSnapshot.Relay) {
    let record = relay.record
    let trouble = record.trouble ?? relay.networkTrouble
    self.init(
      relayId: relay.id.rawValue, relayName: relay.name, status: record.status.rawValue, cause: trouble?.cause.rawValue,
      detail: trouble?.detail, attempt: record.attempt, since: record.since.text,
      nextAttemptAt: record.isUnderWay ? nil : record.timer?.text, shown: record.shown > 0, departed: relay.hasDeparted)
  }
}

extension Post {
  init(_ snapshot: PostSnapshot) {
    let row = snapshot.row
    self.init(
      id: row.id.rawValue, channelId: row.channel.rawValue, channelName: snapshot.channelName,
      network: snapshot.network.rawValue, networkId: row.document.networkID, author: row.document.author, text: row.text,
      replyTo: row.replyTo.map { Int($0.rawValue) }, replaces: row.replaces.map { Int($0.rawValue) },
      replacedBy: row.replacedBy.map { Int($0.rawValue) }, phase: snapshot.phase.rawValue, summary: snapshot.summary,
      relayCount: snapshot.relayCount, shownCount: snapshot.shownCount, link: snapshot.link,
      relays: snapshot.relays.map(PostRelay.init), createdAt: row.createdAt.text, deletedAt: row.deletedAt?.text,
      revision: row.revision, publishAt: row.isDraft ? nil : row.schedule?.publishAt.text,
      scheduleTrouble: row.isDraft ? nil : row.schedule?.trouble,
      reactionTo: row.reactionTo.map { Int($0.rawValue) },
      forgottenAt: row.forgottenAt?.text, notes: snapshot.notes.isEmpty ? nil : snapshot.notes,
      about: row.about.map { ControlAPI.AboutMessage(act: $0.act.rawValue, networkId: $0.networkID, author: $0.author) })
  }
}

extension PostAction {
  init(_ outlook: PostOutlook) {
    let forecast = outlook.forecast
    self.init(
      relayId: outlook.relay.rawValue, canEdit: forecast.canEdit, canDelete: forecast.canDelete, editNote: forecast.editNote,
      deleteNote: forecast.deleteNote, until: forecast.until?.text)
  }
}

extension Retention {
  init(_ retention: PostRetention) {
    self.init(channelId: retention.channel.rawValue, keepDays: retention.days, keepCount: retention.count)
  }
}

extension PostTransition {
  init(_ row: PostTransitionRow, relayName: String) {
    let transition = row.transition
    self.init(
      revision: row.revision, relayId: row.relay.rawValue, relayName: relayName, from: transition.from.rawValue,
      to: transition.to.rawValue, cause: transition.cause?.rawValue, detail: transition.detail,
      attempt: transition.attempt, time: transition.at.text)
  }
}

extension PostRequest {
  /// - Throws: `InvalidPost`.
  init(_ request: PostsPublishRequest) throws(PostsRefusal) {
    let (emoji, attachments) = (try Self.emoji(request.emoji), try Self.attachments(request.attachments))
    let at = try Self.time(request.at)
    self.init(
      channel: ChannelID(rawValue: request.channelId), text: request.text,
      replyTo: request.replyTo.map { PostID(rawValue: Int64($0)) },
      quotes: (request.quotes ?? []).map { PostID(rawValue: Int64($0)) }, mentions: request.mentions ?? [],
      contentWarning: request.contentWarning, hashtags: request.hashtags ?? [], emoji: emoji, attachments: attachments,
      idempotencyKey: request.idempotencyKey, at: at, tolerance: request.tolerance, isDraft: request.draft ?? false)
  }

  /// - Throws: `InvalidPost`.
  static func time(_ text: String?) throws(PostsRefusal) -> Timestamp? {
    guard let text else { return nil }
    guard let milliseconds = RFC3339.milliseconds(text) else {
      throw .invalidPost(field: "at", reason: "it is not a time. Write it as 2026-01-02T15:04:05Z")
    }
    return Timestamp(milliseconds: milliseconds)
  }

  /// An edit of a post. The coordinator has the post's channel, and the messages that it answers and quotes.
  /// - Throws: `InvalidPost`.
  init(_ request: PostsEditRequest) throws(PostsRefusal) {
    let (emoji, attachments) = (try Self.emoji(request.emoji), try Self.attachments(request.attachments))
    self.init(
      channel: ChannelID(rawValue: 0), text: request.text, mentions: request.mentions ?? [],
      contentWarning: request.contentWarning, hashtags: request.hashtags ?? [], emoji: emoji, attachments: attachments,
      idempotencyKey: request.idempotencyKey)
  }

  private static func emoji(_ entries: [Emoji]?) throws(PostsRefusal) -> [String: String] {
    var emoji: [String: String] = [:]
    for entry in entries ?? [] {
      guard emoji.updateValue(entry.url, forKey: entry.shortcode) == nil else {
        throw .invalidPost(field: "emoji", reason: "a shortcode is given twice. Leave one out")
      }
    }
    return emoji
  }

  private static func attachments(_ entries: [ControlAPI.Attachment]?) throws(PostsRefusal) -> [PostDraft.Attachment] {
    var attachments: [PostDraft.Attachment] = []
    for (index, attachment) in (entries ?? []).enumerated() {
      attachments.append(try PostDraft.Attachment(attachment, number: index + 1))
    }
    return attachments
  }
}

extension PostDraft.Attachment {
  /// - Parameter number: which of the attachments it is, counted from 1.
  /// - Throws: `InvalidPost`.
  fileprivate init(_ attachment: ControlAPI.Attachment, number: Int) throws(PostsRefusal) {
    var dimensions: Dimensions?
    switch (attachment.width, attachment.height) {
    case (let width?, let height?): dimensions = Dimensions(width: width, height: height)
    case (nil, nil): dimensions = nil
    case (nil, _?), (_?, nil):
      throw .invalidPost(
        field: "attachments", reason: "attachment \(number) has only one of width and height. Give both, or neither")
    }
    self.init(
      url: attachment.url, sha256: attachment.sha256, mimeType: attachment.mimeType,
      sizeBytes: attachment.sizeBytes.map { Int64($0) }, dimensions: dimensions, altText: attachment.altText,
      blurhash: attachment.blurhash, fallbacks: attachment.fallbacks ?? [])
  }
}

extension PostQuestion {
  static let limitDefault = 25
  static let limitMax = 100

  /// - Throws: `InvalidParameter`.
  init(_ request: PostsListRequest) throws {
    let limit = request.limit ?? Self.limitDefault
    guard (1...Self.limitMax).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
    let status = request.status.map(DeliveryStatus.init(rawValue:))
    if case .some(.none) = status { throw VarlinkError.invalidParameter("status") }
    let cause = request.cause.map(Cause.init(rawValue:))
    if case .some(.none) = cause { throw VarlinkError.invalidParameter("cause") }
    self.init(
      channel: request.channelId.map(ChannelID.init(rawValue:)), relay: request.relayId.map(RelayID.init(rawValue:)),
      status: status ?? nil, cause: cause ?? nil, withDeleted: request.deleted ?? (status ?? nil)?.isAfterDeletion ?? false,
      reactionTo: request.reactionTo.map { PostID(rawValue: Int64($0)) }, withReactions: request.reactions ?? false,
      onlyDrafts: request.drafts ?? false, place: try Self.place(request), limit: limit)
  }

  private static func place(_ request: PostsListRequest) throws -> Place {
    func id(_ value: Int) -> PostID { PostID(rawValue: Int64(value)) }
    var places: [(name: String, place: Place)] = []
    if let before = request.before { places.append(("before", .before(id(before)))) }
    if let after = request.after { places.append(("after", .after(id(after)))) }
    if let around = request.around { places.append(("around", .around(id(around)))) }
    // They exclude each other.
    if places.count > 1 { throw VarlinkError.invalidParameter(places[1].name) }
    return places.first?.place ?? .newest
  }
}
