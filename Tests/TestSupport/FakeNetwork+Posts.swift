public import Channels
public import RelayNetwork

// A document is the text, with what the post refers to and where that is found.
extension FakeNetwork {
  public func compose(
    _ draft: PostDraft, in content: ChannelContent, at relays: [String]
  ) throws(PostFailure) -> PostDocument {
    do {
      try draft.validate()
    } catch {
      throw .refused(error)
    }
    if draft.text == "not here" { throw .unsupported("no such texts") }
    if draft.text == "refuse me" { throw .refused(PostRefusal(.text, "the text asks to be refused; write another")) }
    let id = posts.nextName()
    let answered = draft.replyTo.map {
      [" | answers \($0.networkID) at \($0.relays.joined(separator: ","))"]
        + ($0.writtenAt.map { [", written at \($0.milliseconds)"] } ?? [])
        + ($0.participants.isEmpty ? [] : [", heard by \($0.participants.joined(separator: " and "))"])
    }
    let quoted = draft.quotes.map { " | quotes \($0.networkID) at \($0.relays.joined(separator: ","))" }
    return PostDocument(networkID: id, author: "key", text: ([draft.text] + (answered ?? []) + quoted).joined())
  }

  public var editsInPlace: Bool { posts.editsInPlace }

  public func revise(_ post: PostDocument, publishedAt: Timestamp, as draft: PostDraft) throws(PostFailure) -> PostDocument {
    if draft.text == "too late" { throw .unsupported("posts are edited within a day") }
    return PostDocument(networkID: post.networkID, author: post.author, text: draft.text)
  }

  public func composeDeletion(
    of post: PostDocument, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> PostDocument {
    PostDocument(networkID: "deletion of \(post.networkID)", author: "key", text: reason)
  }

  public func composeReaction(_ draft: ReactionDraft, in content: ChannelContent) throws(PostFailure) -> PostDocument {
    if draft.text == "not here" { throw .unsupported("no such reactions") }
    if draft.text == "refuse me" { throw .refused(PostRefusal(.reaction, "the reaction asks to be refused; write another")) }
    let pictures = draft.emoji.sorted { $0.key < $1.key }.map { " | \($0.key) is \($0.value)" }.joined()
    return PostDocument(
      networkID: "reaction \(posts.nextName())", author: "key",
      text: "\(draft.text) | to \(draft.target.networkID) at \(draft.target.relays.joined(separator: ","))\(pictures)")
  }

  public func composePin(of target: PostReference, in content: ChannelContent) throws(PostFailure) -> PostDocument {
    if content.kind == .channel { throw .unsupported("only groups have pinned posts") }
    return PostDocument(networkID: "pin \(posts.nextName())", author: "key", text: "pin of \(target.networkID)")
  }

  public func author(from text: String) -> String? { text.hasPrefix("npub of ") ? String(text.dropFirst(8)) : nil }

  public func composeReport(
    _ report: Report, of message: PostReference, in content: ChannelContent
  ) throws(PostFailure) -> PostDocument {
    if report.words == "not here" { throw .unsupported("no reports") }
    return PostDocument(
      networkID: "report \(posts.nextName())", author: "key",
      text: "\(report.text) | of \(message.networkID) by \(message.author)")
  }

  public func composeMembership(
    _ change: MembershipChange, in content: ChannelContent
  ) throws(PostFailure) -> PostDocument {
    if content.kind == .channel, !posts.channelsHaveMembers { throw .unsupported("no one belongs to channels") }
    if change.person == "us" { throw .refused(PostRefusal(.author, "that is us; name another")) }
    if change.roles == ["refuse me"] { throw .refused(PostRefusal(.roles, "the role asks to be refused; name another")) }
    return PostDocument(
      networkID: "membership \(posts.nextName())", author: "key", text: "\(change.text) | \(change.person)")
  }

  public func composeRemoval(
    of message: PostReference, createdAt: Timestamp, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> (message: PostDocument, deletion: PostDocument) {
    if content.kind == .channel { throw .unsupported("only groups remove what others wrote") }
    return (
      PostDocument(networkID: message.networkID, author: message.author, text: "of \(createdAt.milliseconds)"),
      PostDocument(networkID: "removal of \(message.networkID)", author: "key", text: reason)
    )
  }

  public func reference(
    toMessage networkID: String, by author: String, textBytes: Int, in content: ChannelContent, at relays: [String]
  ) -> PostReference? {
    networkID == "of another network" ? nil : PostReference(networkID: networkID, author: author, relays: relays)
  }

  public func reference(to post: PostDocument, at relays: [String]) -> PostReference? {
    guard post.networkID.hasPrefix("post") else { return nil }
    return PostReference(networkID: post.networkID, author: post.author, relays: relays)
  }

  public func link(to post: PostDocument, at relays: [String]) -> String? {
    "fake:\(post.networkID)?\(relays.joined(separator: ","))"
  }

  public func notes(on post: PostDocument, publishedAt: Timestamp) -> [String] {
    post.text.hasPrefix("note this") ? ["Readers forget this after \(publishedAt.milliseconds)."] : []
  }

  public func remnant(of post: PostDocument) -> String? { "remnant of \(post.networkID)" }

  public func whyNotForgotten(in content: ChannelContent) -> String? {
    posts.editsInPlace ? "posts that change are not forgotten" : nil
  }

  public func forecast(of place: PostPlace) -> PostForecast {
    PostForecast(
      canEdit: true, canDelete: false, deleteNote: "relays keep everything", until: place.publishedAt + .seconds(86_400))
  }

  public func deliver(_ operation: DeliveryOperation) {
    guard let outcome = posts.begin(operation, behaviour(at: operation.address)) else { return }
    say(outcome, of: operation)
  }

  public func release(_ turn: DeliveryTurn) {
    guard let (operation, outcome) = posts.leave(turn, at: { behaviour(at: $0.address) }) else { return }
    say(outcome, of: operation)
  }

  public func compare(_ comparison: PostComparison) {
    guard let outcome = posts.compare(comparison, behaviour(at: comparison.address)) else { return }
    send(.compared(channel: comparison.channel, relay: comparison.relay, number: comparison.number, outcome))
  }

  public func date(of post: PostDocument) -> Timestamp? { Timestamp(milliseconds: 1) }

  /// The turn of all posts comes that a relay has held back.
  public func giveTurns(at address: String) {
    for operation in posts.takeTurns(at: address) { say(.handedOver, of: operation) }
  }

  private func say(_ outcome: DeliveryOutcome, of operation: DeliveryOperation) {
    send(.delivery(post: operation.post, relay: operation.relay, number: operation.number, outcome))
  }
}
