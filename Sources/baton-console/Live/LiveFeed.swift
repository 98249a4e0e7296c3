internal import DequeModule

/// Which objects changed, in the order of revisions, for those who look at pages. No one misses a change, and no one gets one twice:
/// who cannot be told what changed is told to look at everything again.
struct LiveFeed {
  /// What a reader is told.
  enum Message: Hashable, Sendable {
    /// These objects changed, the last of those that have one with this revision.
    case changed(revision: Int64?, objects: [String])
    /// Anything may have changed; changes after the revision will be told.
    case resync(revision: Int64?)
    /// Whether changes arrive from the daemon.
    case connected(Bool)
  }

  /// Names a reader.
  struct ReaderID: Hashable, Sendable { fileprivate let number: Int }

  /// Changes that are kept for readers who come back.
  static let keptMax = 4096
  /// Objects that a reader is told of at once. One who is further behind looks at everything again.
  static let pendingMax = 1000

  private struct Change {
    let revision: Int64
    let objects: [String]
  }

  private struct Reader {
    /// What the reader knows: changes up to it were told.
    var told: Int64?
    /// Objects in the order of their first change since then.
    var pending: [String] = []
    var isPending: Set<String> = []
    var latest: Int64?
    var mustLook = false
    /// What the reader was last told of the connection.
    var connected: Bool?
  }

  private var kept: Deque<Change> = []
  /// All changes after this revision are kept; `nil` before the first word of the daemon.
  private var floor: Int64?
  /// The revision of the newest change.
  private(set) var revision: Int64?
  private(set) var isConnected = false
  private var readers: [ReaderID: Reader] = [:]
  private var readersSoFar = 0

  // MARK: - From the daemon

  /// The daemon answers, and tells of changes after this revision.
  mutating func begun(at revision: Int64) {
    isConnected = true
    guard self.revision != revision || floor == nil else { return }
    startOver(at: revision)
  }

  /// The daemon answers again, and goes on where it was.
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

  /// Something changed that has no revision of this kind, such as messages. Who reads on after a pause is told so of all of them.
  mutating func noted(_ object: String) {
    for id in readers.keys { Self.tell(&readers[id], [object]) }
  }

  /// The daemon does not answer.
  mutating func disconnected() { isConnected = false }

  /// The daemon cannot say what changed after the newest revision that is known here.
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
  /// - Parameter told: the revision up to which they know everything; `nil` if they have just looked.
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

  /// What a reader has to be told now, in this order.
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
    // It must not be there twice while it changes, or each change copies all that is pending.
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
