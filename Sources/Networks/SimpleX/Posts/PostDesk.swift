internal import Channels
internal import DequeModule
internal import RelayNetwork

/// The operations for the posts of one channel, in the core. One post at a time is on its way to the core.
struct PostDesk {
  struct Entry {
    let operation: DeliveryOperation
    let since: Timestamp
  }

  /// A post that is about to be sent, or edited: its relays were told that its turn has come.
  struct Flight {
    let post: PostID
    /// The relays whose answer is awaited, each with the number of its operation.
    var waiting: [RelayID: Int]
    /// The relays that may have the post.
    var allowed: [RelayID: Int] = [:]
    /// The stored post at the time when it was let go, if it was ever edited.
    var document: PostDocument?
    let since: Timestamp

    func holds(_ operation: DeliveryOperation) -> Bool {
      operation.post == post && (waiting[operation.relay] ?? allowed[operation.relay]) == operation.number
    }
  }

  var entries: [PostID: [RelayID: Entry]] = [:]
  var flight: Flight?
  /// Posts whose answer was lost, with the time: the core may send them yet.
  var lost: [PostID: Timestamp] = [:]
  /// Posts that are not looked at before a time.
  var waits: [PostID: Timestamp] = [:]

  var isEmpty: Bool { entries.isEmpty && flight == nil && lost.isEmpty }

  /// The operations for a post that are not on their way, by relay.
  func operations(of post: PostID) -> [DeliveryOperation] {
    (entries[post] ?? [:]).values.map(\.operation).filter { flight?.holds($0) != true }.sorted { $0.relay < $1.relay }
  }

  mutating func remove(_ operation: DeliveryOperation) {
    guard entries[operation.post]?[operation.relay]?.operation.number == operation.number else { return }
    entries[operation.post]?[operation.relay] = nil
    guard entries[operation.post]?.isEmpty == true else { return }
    entries[operation.post] = nil
    waits[operation.post] = nil
  }
}

/// The known state of posts in the core beyond their operations, which may have been requested before that state was stored. It is bounded.
/// A state that is left out is stored by now.
struct KnownPosts {
  /// An edit that was given to the core.
  struct Edit: Hashable {
    let edition: Int
    /// The relays that got it, because their connections were ready then.
    let reached: Set<CoreMember.ID>
  }

  struct Known: Hashable {
    var place = ItemPlace.unsent
    /// The newest edition that there is.
    var edition = 1
    /// The newest edition that the core has accepted as an edit, or 0.
    var edited = 0
    /// When the core sent it, or `nil` if that is not known.
    var sentAt: Timestamp?
    var deletion: PostForm.Deletion?
    /// The newest edit that was given to the core since the start. It is not stored: the requested edition is.
    var edit: Edit?
    /// The progress, if it is a reaction or an order.
    var course: ActCourse?
    /// When the answer to a reaction, or to an order, was lost: the core may carry it out yet.
    var lostAt: Timestamp?
    /// The relays whose connections were ready when the core was asked to take a reaction back, or to remove a message.
    var asked: Set<CoreMember.ID>?
  }

  static let max = 10_000

  private var known: [PostID: Known] = [:]
  /// The oldest first.
  private var order: Deque<PostID> = []

  subscript(post: PostID) -> Known {
    get { known[post] ?? Known() }
    set {
      if known.updateValue(newValue, forKey: post) == nil { order.append(post) }
      if order.count > Self.max, let oldest = order.popFirst() { known[oldest] = nil }
    }
  }

  /// Notes that the core has a post.
  mutating func note(_ item: CoreItem, as post: PostID) {
    self[post].place = ItemPlace(item)
    self[post].sentAt = Timestamp(core: item.sentAt)
  }

  /// The items that are other posts.
  func items(except post: PostID) -> Set<CoreItem.ID> { Set(known.compactMap { $0.key == post ? nil : $0.value.place.item }) }
}
