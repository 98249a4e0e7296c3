internal import DequeModule

/// The latest changes, kept once for all readers, and the position of each reader. It is a value without locks, tasks or clocks.
/// `ChangeHub` shares it.
///
/// Its size is limited, in changes and in bytes, independently of readers. A reader beyond that limit has fallen behind. It is informed
/// once, and continues after the newest change, while it reads the missed objects from the store. If it is beyond the limit again before it
/// has come back, it is too slow.
struct ChangeLog {
  struct Limits: Hashable, Sendable {
    /// The number of changes that are kept.
    var changesMax: Int
    /// The approximate maximum size of these changes and their messages, in bytes.
    var bytesMax: Int
  }

  private struct Slot {
    let entry: ChangeEntry
    var bytes: Int
  }

  private struct Reader {
    var selection: ChangeSelection
    /// The number of the next change to check.
    var next: Int
    /// Everything up to this revision was read here or elsewhere, or does not concern the reader.
    var place: Int64
    /// Whether it was informed that it fell behind, and has not come back since.
    var isBehind = false
    var isCancelled = false
  }

  /// The newest change, kept or not.
  private(set) var revision: Int64 = 0
  /// The approximate size of the kept changes, in bytes.
  private(set) var byteCount = 0
  /// The number of times that readers have fallen behind.
  private(set) var falls = 0

  private let limits: Limits
  private var slots: Deque<Slot> = []
  /// The number of the first change that is kept.
  private var first = 0
  private var readers: [Int: Reader] = [:]
  private var isFinished = false
  /// The number of changes at which the log checks which ones all readers have read.
  private var forgetAt = forgetEvery

  private static let forgetEvery = 64

  init(limits: Limits) { self.limits = limits }

  var count: Int { slots.count }
  var readerCount: Int { readers.count }
  /// The number of the next change.
  private var end: Int { first + slots.count }

  // MARK: - Changes

  /// Begins with this revision.
  mutating func start(at revision: Int64) { self.revision = revision }

  /// - Parameters:
  ///   - changes: the changes, by revision.
  ///   - revision: the newest revision of these or of unpublished changes.
  mutating func append(_ changes: [Change], revision: Int64) {
    self.revision = revision
    // A later reader begins after them.
    guard !readers.isEmpty else { return }
    for change in changes {
      let slot = Slot(entry: ChangeEntry(change, number: end), bytes: change.roughBytes)
      slots.append(slot)
      byteCount += slot.bytes
      trim()
    }
    if slots.count >= forgetAt { forgetTaken() }
  }

  /// Records that a message was made from a change.
  mutating func grow(_ number: Int, by bytes: Int) {
    guard number >= first, number < end else { return }
    slots[number - first].bytes += bytes
    byteCount += bytes
    trim()
  }

  /// Records that changes up to `revision` are missing here: all readers have fallen behind.
  mutating func skip(to revision: Int64) {
    guard revision > self.revision else { return }
    self.revision = revision
    // One number is skipped, which no reader can have read.
    forget(before: end)
    first += 1
  }

  /// Records that there will be no further changes.
  mutating func finish() { isFinished = true }

  // MARK: - Readers

  /// - Parameter id: the id of a new reader, which begins after the newest change.
  mutating func add(_ id: Int, _ selection: ChangeSelection) {
    readers[id] = Reader(selection: selection, next: end, place: revision)
  }

  mutating func remove(_ id: Int) {
    readers[id] = nil
    if readers.isEmpty { forget(before: end) }
  }

  /// Sets the reader's selection from its place on.
  mutating func select(_ selection: ChangeSelection, for id: Int) { readers[id]?.selection = selection }

  /// Moves the reader to the end of the log.
  mutating func rejoin(_ id: Int) {
    guard let reader = readers[id] else { return }
    readers[id] = Reader(selection: reader.selection, next: end, place: revision, isCancelled: reader.isCancelled)
  }

  /// Removes the reader.
  mutating func cancel(_ id: Int) { readers[id]?.isCancelled = true }

  /// Returns the answer that the reader gets next.
  mutating func take(_ id: Int) -> ChangeHub.Taken {
    guard var reader = readers[id] else { return .over(at: revision) }
    guard !reader.isCancelled else { return .over(at: reader.place) }
    defer { readers[id] = reader }
    guard reader.next >= first else {
      let place = reader.place
      guard !reader.isBehind else { return .tooSlow(after: place) }
      falls += 1
      (reader.next, reader.place, reader.isBehind) = (end, revision, true)
      return .missed(after: place, through: revision)
    }
    reader.isBehind = false
    guard let entry = nextWanted(&reader) else { return isFinished ? .over(at: reader.place) : .nothing }
    reader.next += 1
    reader.place = entry.change.revision
    return .change(entry)
  }

  /// Whether `take` returns something. Changes that the reader does not want are skipped.
  mutating func hasNews(for id: Int) -> Bool {
    guard var reader = readers[id], !reader.isCancelled, !isFinished, reader.next >= first else { return true }
    let entry = nextWanted(&reader)
    readers[id] = reader
    return entry != nil
  }

  private func nextWanted(_ reader: inout Reader) -> ChangeEntry? {
    while reader.next < end {
      let entry = slots[reader.next - first].entry
      if reader.selection.wants(entry.change) { return entry }
      reader.next += 1
      reader.place = entry.change.revision
    }
    reader.place = revision
    return nil
  }

  // MARK: - Bounds

  private mutating func trim() {
    while byteCount > limits.bytesMax || slots.count > limits.changesMax, !slots.isEmpty { forgetFirst() }
  }

  /// Forgets changes that were read by all readers that have not fallen behind.
  private mutating func forgetTaken() {
    forget(before: readers.values.reduce(end) { $1.next < first ? $0 : min($0, $1.next) })
  }

  private mutating func forget(before number: Int) {
    while first < number, !slots.isEmpty { forgetFirst() }
    forgetAt = max(Self.forgetEvery, 2 * slots.count)
  }

  private mutating func forgetFirst() {
    guard let slot = slots.popFirst() else { return }
    byteCount -= slot.bytes
    first += 1
  }
}
