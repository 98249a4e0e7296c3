internal import Channels
package import Storage

extension PostRow {
  /// The values of all columns except the sum, in the order of `SummedTable.posts`.
  package func bind(to row: inout some RowSink) {
    row.bind(id.rawValue)
    row.bind(channel.rawValue)
    row.bind(revision: revision)
    row.bind(replyTo?.rawValue)
    row.bind(replaces?.rawValue)
    row.bind(replacedBy?.rawValue)
    row.bind(reactionTo?.rawValue)
    row.bind(edition)
    row.bind(deliveryCount)
    row.bind(createdAt.milliseconds)
    row.bind(forgottenAt?.milliseconds)
    row.bind(deletedAt?.milliseconds)
    row.bind(idempotencyKey)
    row.bind(requestDigest)
    row.bind(quotes.isEmpty ? nil : quotes.map { String($0.rawValue) }.joined(separator: ","))
    row.bind(document.networkID)
    row.bind(document.author)
    row.bind(text)
    row.bind(document.text)
    row.bind(deletion?.networkID)
    row.bind(deletion?.author)
    row.bind(deletion?.text)
    row.bind(schedule?.publishAt.milliseconds)
    row.bind((schedule?.tolerance).map(Int64.init))
    row.bind(schedule?.trouble)
    row.bind(schedule?.request)
    row.bind(about?.act.rawValue)
    row.bind(about?.networkID)
    row.bind(about?.author)
    row.bind(isAside)
  }

  /// The row that `values` reads, in the order of `SummedTable.posts`.
  /// - Throws: `StoreError.corrupt` when the row is damaged.
  package init(_ values: inout some RowSource) throws {
    let (id, channel) = (PostID(rawValue: values.integer()), ChannelID(rawValue: values.integer()))
    let (revision, replyTo) = (values.integer(), values.integerIfAny())
    let (replaces, replacedBy, reactionTo) = (values.integerIfAny(), values.integerIfAny(), values.integerIfAny())
    let (edition, deliveryCount) = (values.count(), values.count())
    let (createdAt, forgottenAt, deletedAt) = (values.integer(), values.integerIfAny(), values.integerIfAny())
    let (idempotencyKey, requestDigest, quotes) = (values.textIfAny(), values.textIfAny(), values.textIfAny())
    let (networkID, author, text, document) = (values.text(), values.text(), values.text(), values.text())
    let (deletionID, deletionAuthor, deletion) = (values.textIfAny(), values.textIfAny(), values.textIfAny())
    let (publishAt, tolerance) = (values.integerIfAny(), values.integerIfAny())
    let (trouble, request) = (values.textIfAny(), values.textIfAny())
    let (act, aboutID, aboutAuthor) = (values.textIfAny(), values.textIfAny(), values.textIfAny())
    let isAside = values.flag()
    try values.end(.posts)
    let about = Self.about(act, aboutID, aboutAuthor)
    guard (act == nil) == (about == nil) else { throw values.unreadable(.posts) }
    let schedule = publishAt.map {
      PostSchedule(
        publishAt: Timestamp(milliseconds: $0), tolerance: Int(tolerance ?? 0), request: request, trouble: trouble)
    }
    self.init(
      id: id, channel: channel, document: PostDocument(networkID: networkID, author: author, text: document), text: text,
      replyTo: replyTo.map(PostID.init(rawValue:)), quotes: Self.ids(quotes), replaces: replaces.map(PostID.init(rawValue:)),
      replacedBy: replacedBy.map(PostID.init(rawValue:)), reactionTo: reactionTo.map(PostID.init(rawValue:)), about: about,
      edition: edition,
      createdAt: Timestamp(milliseconds: createdAt), forgottenAt: forgottenAt.map(Timestamp.init(milliseconds:)),
      deletedAt: deletedAt.map(Timestamp.init(milliseconds:)), deletion: Self.document(deletionID, deletionAuthor, deletion),
      idempotencyKey: idempotencyKey, requestDigest: requestDigest, deliveryCount: deliveryCount, schedule: schedule,
      revision: revision)
    guard self.isAside == isAside else { throw values.unreadable(.posts) }
  }

  private static func about(_ act: String?, _ networkID: String?, _ author: String?) -> AboutMessage? {
    guard let act = act.flatMap(AboutMessage.Act.init(rawValue:)), let networkID, let author else { return nil }
    return AboutMessage(act: act, networkID: networkID, author: author)
  }

  private static func ids(_ text: String?) -> [PostID] {
    (text ?? "").split(separator: ",").compactMap { Int64($0).map(PostID.init(rawValue:)) }
  }

  private static func document(_ networkID: String?, _ author: String?, _ text: String?) -> PostDocument? {
    guard let networkID, let author, let text else { return nil }
    return PostDocument(networkID: networkID, author: author, text: text)
  }

  /// The size of its texts, in UTF-8 bytes.
  var bytes: Int {
    text.utf8.count + document.text.utf8.count + (deletion?.text.utf8.count ?? 0) + (schedule?.request?.utf8.count ?? 0)
  }
}

extension PostTransitionRow {
  /// The values of all columns except the sum, in the order of `SummedTable.postTransitions`.
  package func bind(to row: inout some RowSink) {
    row.bind(revision: revision)
    row.bind(post.rawValue)
    row.bind(relay.rawValue)
    row.bind(transition)
  }

  /// The row that `values` reads, in the order of `SummedTable.postTransitions`.
  /// - Throws: `StoreError.corrupt` when the row is damaged, or has an unknown status.
  package init(_ values: inout some RowSource) throws {
    let revision = values.integer()
    let (post, relay) = (PostID(rawValue: values.integer()), RelayID(rawValue: values.integer()))
    let transition: StatusTransition<DeliveryStatus>? = values.transition()
    try values.end(.postTransitions)
    guard let transition else { throw values.unreadable(.postTransitions) }
    self.init(revision: revision, post: post, relay: relay, transition: transition)
  }
}
