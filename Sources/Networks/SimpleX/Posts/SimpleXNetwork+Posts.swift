public import Channels
public import RelayNetwork

// The form of posts on SimpleX, and their handling in the core.
extension SimpleXNetwork {
  /// How long the core edits a post.
  static let editTime = Duration.seconds(24 * 3_600)
  /// How long it deletes a post at readers.
  static let deletionTime = Duration.seconds(30 * 3_600)

  public var editsInPlace: Bool { true }

  public func compose(
    _ draft: PostDraft, in content: ChannelContent, at relays: [String]
  ) throws(PostFailure) -> PostDocument {
    let form: PostForm
    do throws(PostRefusal) { form = try PostForm(draft) } catch { throw .refused(error) }
    try check(form.file)
    return form.document(at: .unsent)
  }

  public func revise(
    _ post: PostDocument, publishedAt: Timestamp, as draft: PostDraft
  ) throws(PostFailure) -> PostDocument {
    guard let form = PostForm(post), let place = ItemPlace(name: post.networkID) else { throw .unavailable(Self.foreign) }
    guard !form.isForgotten else { throw .unsupported("the text of the post was forgotten. Publish another") }
    switch place {
    case .unsent: break
    case .after: throw .unavailable("it is not known yet whether the core has sent the post. Edit it in a moment")
    case .item:
      guard now() < (form.sentAt ?? publishedAt) + Self.editTime else { throw .unsupported(Self.editOver) }
    }
    let next: PostForm
    do throws(PostRefusal) {
      next = try PostForm(draft, after: form)
      if place != .unsent { try Self.check(next, keepsFileOf: form) }
    } catch { throw .refused(error) }
    if place == .unsent { try check(next.file) }
    return next.document(at: place)
  }

  public func composeDeletion(
    of post: PostDocument, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> PostDocument {
    guard PostForm(post) != nil || Self.isAct(post) else { throw .unavailable(Self.foreign) }
    guard reason.isEmpty else { throw .unsupported("SimpleX shows no reason for a deletion. Delete the post without one") }
    return PostDocument(networkID: "", author: PostForm.author, text: "{}")
  }

  public func reference(to post: PostDocument, at relays: [String]) -> PostReference? {
    // Reactions and orders have no names.
    if Self.isAct(post) { return PostReference(networkID: "", author: post.author, relays: relays) }
    guard let form = PostForm(post), let place = ItemPlace(name: post.networkID) else { return nil }
    // A post that the core has not sent has no name that another could refer to.
    return PostReference(
      networkID: place.item == nil ? "" : place.name, author: post.author, relays: relays,
      quoteBytes: form.quoteBytes)
  }

  public func reference(
    toMessage networkID: String, by author: String, textBytes: Int, in content: ChannelContent, at relays: [String]
  ) -> PostReference? {
    guard ItemPlace(name: networkID)?.item != nil else { return nil }
    return PostReference(
      networkID: networkID, author: author, relays: relays, quoteBytes: CoreMessageSize.quoted(textBytes: textBytes))
  }

  public func composeReaction(_ draft: ReactionDraft, in content: ChannelContent) throws(PostFailure) -> PostDocument {
    do throws(PostRefusal) {
      return try ReactionForm(draft).document
    } catch { throw .refused(error) }
  }

  public func composeMembership(_ change: MembershipChange, in content: ChannelContent) throws(PostFailure) -> PostDocument {
    guard !change.letsIn else {
      throw .unsupported(
        "people join a channel on SimpleX by its link, and no one can let them in. To give a member a role use batonctl member role"
      )
    }
    do throws(PostRefusal) { return try OrderForm(change).document } catch { throw .refused(error) }
  }

  public func composeRemoval(
    of message: PostReference, createdAt: Timestamp, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> (message: PostDocument, deletion: PostDocument) {
    guard reason.isEmpty else { throw .unsupported("SimpleX shows no reason for a removal. Remove the message without one") }
    guard let order = OrderForm(removing: message.networkID) else {
      throw .unavailable("the stored name of the message is not one of this network")
    }
    return (order.document, PostDocument(networkID: "", author: PostForm.author, text: "{}"))
  }

  /// Whether a post is an act: a reaction, or an order.
  private static func isAct(_ post: PostDocument) -> Bool { ReactionForm(post) != nil || OrderForm(post) != nil }

  public func date(of post: PostDocument) -> Timestamp? {
    PostForm(post)?.sentAt ?? ReactionForm(post)?.course.sentAt ?? OrderForm(post)?.course.sentAt
  }

  /// A post that the core may have sent keeps its text, because it is found in the core by nothing else. A reaction keeps its emoji,
  /// because it could not be taken back otherwise.
  public func remnant(of post: PostDocument) -> String? {
    if let reaction = ReactionForm(post) { return reaction.document.text }
    if let order = OrderForm(post) { return order.document.text }
    guard let form = PostForm(post), let place = ItemPlace(name: post.networkID) else { return nil }
    switch place {
    case .after: return nil
    case .unsent, .item: return form.forgotten.document(at: place).text
    }
  }

  public func whyNotForgotten(in content: ChannelContent) -> String? { nil }

  public func forecast(of place: PostPlace) -> PostForecast {
    if ReactionForm(place.document) != nil {
      return PostForecast(canEdit: false, canDelete: true, editNote: Self.noEdit, deleteNote: Self.takesBack)
    }
    if OrderForm(place.document) != nil {
      return PostForecast(canEdit: false, canDelete: false, editNote: Self.noOrderEdit, deleteNote: Self.givesUp)
    }
    guard let form = PostForm(place.document) else {
      return PostForecast(canEdit: false, canDelete: false, editNote: Self.foreign, deleteNote: Self.foreign)
    }
    if ItemPlace(name: place.document.networkID) == .unsent {
      return PostForecast(canEdit: true, canDelete: true, editNote: Self.unsent)
    }
    let sentAt = form.sentAt ?? place.publishedAt
    let (editEnd, deletionEnd) = (sentAt + Self.editTime, sentAt + Self.deletionTime)
    let (canEdit, canDelete) = (now() < editEnd, now() < deletionEnd)
    return PostForecast(
      canEdit: canEdit, canDelete: canDelete, editNote: canEdit ? Self.edits : Self.editOver,
      deleteNote: canDelete ? Self.deletes : Self.deletionOver, until: canEdit ? editEnd : canDelete ? deletionEnd : nil)
  }

  public func deliver(_ operation: DeliveryOperation) { put(.post(operation)) }
  public func release(_ turn: DeliveryTurn) { put(.turn(turn)) }

  /// A relay on SimpleX lists nothing.
  public func compare(_ comparison: PostComparison) {
    reports.add(
      .compared(
        channel: comparison.channel, relay: comparison.relay, number: comparison.number,
        .failed(Trouble(.notSupported, "relays on SimpleX do not list their posts"))))
  }

  private static let foreign = "the stored post is not for SimpleX"
  private static let unsent = "the core has not sent the post yet, and will send the edited post"
  private static let edits = "an edit changes the post in place, at relays whose connection is ready then"
  private static let deletes = "the core tells each relay once, if the connection is ready then"
  private static let noEdit = "SimpleX does not edit reactions. Delete it, and react again"
  private static let takesBack = "the core takes the reaction back once, at relays whose connection is ready then"
  private static let noOrderEdit = "it has nothing to edit"
  private static let givesUp = "work that the core has not done yet is given up, and finished work remains"
  static let editOver = "SimpleX edits posts within 24 hours, and this one is older. Publish another"
  static let deletionOver =
    "SimpleX deletes posts at readers within 30 hours. An older post is removed from the history that relays give to new readers, and "
    + "readers who have it keep it"
}
