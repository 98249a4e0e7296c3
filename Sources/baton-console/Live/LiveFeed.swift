internal import DequeModule

/// The objects that changed, in the order of revisions, for people who look at pages. Every reader gets each change exactly once. If that
/// is not possible, the reader has to load everything again.
struct LiveFeed {
  /// A message to a reader.
  enum Message: Hashable, Sendable {
    /// These objects changed. The revision is that of the latest change that has one.
    case changed(revision: Int64?, objects: [String])
    /// Anything may have changed. Changes after the revision follow.
    case resync(revision: Int64?)
    /// Whether changes arrive from the daemon.
    case connected(Bool)
  }

  /// Identifies a reader.
  struct ReaderID: Hashable, Sendable { fileprivate let number: Int }

  /// The number of changes that are kept for readers who come back.
  static let keptMax = 4096
  /// The largest number of objects in one message. A reader who is further behind loads everything again.
  static let pendingMax = 1000

  private struct Change {
    let revision: Int64
    let objects: [String]
  }

  private struct Reader {
    /// The revision up to which the reader received all changes.
    var told: Int64?
    /// Objects in the order of their first change since then.
    var pending: [String] = []
    var isPending: Set<String> = []
    var latest: Int64?
    var mustLook = false
    /// The state of the connection that the reader received last.
    var connected: Bool?
  }

  private var kept: Deque<Change> = []
  /// All changes after this revision are kept. `nil` before the daemon's first message.
  private var floor: Int64?
  /// The revision of the newest change.
  private(set) var revision: Int64?
  private(set) var isConnected = false
  private var readers: [ReaderID: Reader] = [:]
  private var readersSoFar = 0

  // MARK: - From the daemon

  /// The daemon replies, and sends changes after this revision.
  mutating func begun(at revision: Int64) {
    isConnected = true
    guard self.revision != revision || floor == nil else { return }
    startOver(at: revision)
  }

  /// The daemon replies again, and continues where it stopped.
  mutating func resumed() { isConnected = true }

  /// Objects changed.
  mutating func changed(_ objects: [String], revision: Int64) {
    guard let known = self.revision, revision > known else { return }
    self.revision = revision
    guard !objects.isEmpty else { return }
    let change = Change(revision: revision, objects: objects)
    kept.append(change)
    while kept.count > Self.keptMax { floor = kept.removeFirst().revision }
    for id in readers.keys {
      Self.tell(&readers[id], objects)
      readers[id]?.latest = revision
    }
  }

  /// Records a change without a revision of this kind, such as a new message. A reader who returns after a pause gets `allMessages`
  /// instead.
  mutating func noted(_ object: String) {
    for id in readers.keys { Self.tell(&readers[id], [object]) }
  }

  /// The daemon does not reply.
  mutating func disconnected() { isConnected = false }

  /// The daemon no longer has the changes after the newest known revision.
  mutating func lost() {
    floor = nil
    revision = nil
    kept.removeAll()
  }

  private mutating func startOver(at revision: Int64) {
    kept.removeAll()
    floor = revision
    self.revision = revision
    for id in readers.keys {
      readers[id]?.mustLook = true
      readers[id]?.latest = revision
    }
  }

  // MARK: - For readers

  /// Someone begins to read.
  /// - Parameter told: the revision up to which they have seen everything, or `nil` if they have just loaded a page.
  mutating func add(after told: Int64?) -> ReaderID {
    readersSoFar += 1
    let id = ReaderID(number: readersSoFar)
    var reader: Reader? = Reader(told: told ?? revision)
    if let told {
      if let floor, let revision, told >= floor, told <= revision {
        for change in kept where change.revision > told { Self.tell(&reader, change.objects) }
        Self.tell(&reader, [Self.allMessages])
        reader?.latest = revision
      } else {
        reader?.mustLook = true
        reader?.latest = revision
      }
    }
    readers[id] = reader
    return id
  }

  mutating func remove(_ id: ReaderID) { readers[id] = nil }

  /// The messages for a reader, in this order.
  mutating func take(_ id: ReaderID) -> [Message] {
    guard var reader = readers[id] else { return [] }
    var messages: [Message] = []
    if reader.connected != isConnected {
      reader.connected = isConnected
      messages.append(.connected(isConnected))
    }
    if reader.mustLook {
      messages.append(.resync(revision: revision))
      reader.told = revision
    } else if !reader.pending.isEmpty {
      messages.append(.changed(revision: reader.latest, objects: reader.pending))
      reader.told = reader.latest ?? reader.told
    }
    reader.mustLook = false
    reader.pending = []
    reader.isPending = []
    reader.latest = nil
    readers[id] = reader
    return messages
  }

  /// Stands for the messages of all channels.
  static let allMessages = "messages:*"

  private static func tell(_ reader: inout Reader?, _ objects: [String]) {
    guard var known = reader, !known.mustLook else { return }
    // Releases the other reference first. Otherwise each change would copy all pending objects.
    reader = nil
    for object in objects where known.isPending.insert(object).inserted { known.pending.append(object) }
    if known.pending.count > pendingMax {
      known.mustLook = true
      known.pending = []
      known.isPending = []
    }
    reader = known
  }
}
