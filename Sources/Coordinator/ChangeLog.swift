internal import DequeModule

/// The latest changes, kept once for all readers, and how far each reader has got. It is a value without locks, tasks or clocks:
/// `ChangeHub` shares it out.
///
/// It is bounded, in changes and in bytes, whatever its readers do. A reader whose place is beyond that bound has fallen behind: it learns
/// this once, and goes on behind the newest change, while it reads elsewhere what became of the objects that it missed. When it is beyond
/// the bound again before it has come back, it is too slow.
struct ChangeLog {
  struct Limits: Hashable, Sendable {
    /// The number of changes that are kept.
    var changesMax: Int
    /// The approximate bytes that they and their messages take.
    var bytesMax: Int
  }

  private struct Slot {
    let entry: ChangeEntry
    var bytes: Int
  }

  private struct Reader {
    var selection: ChangeSelection
    /// The number of the next change to look at.
    var next: Int
    /// Everything up to this revision was taken, is not wanted, or is read elsewhere.
    var place: Int64
    /// Whether it has learned that it fell behind, and has not come back since.
    var isBehind = false
    var isCancelled = false
  }

  /// The newest change, kept or not.
  private(set) var revision: Int64 = 0
  /// The approximate bytes that the kept changes take.
  private(set) var byteCount = 0
  /// The number of times that readers have fallen behind.
  private(set) var falls = 0

  private let limits: Limits
  private var slots: Deque<Slot> = []
  /// The number of the first change that is kept.
  private var first = 0
  private var readers: [Int: Reader] = [:]
  private var isFinished = false
  /// The number of changes at which the log checks which of them all readers have taken.
  private var forgetAt = forgetEvery

  private static let forgetEvery = 64

  init(limits: Limits) { self.limits = limits }

  var count: Int { slots.count }
  var readerCount: Int { readers.count }
  /// The number of the next change.
  private var end: Int { first + slots.count }

  // MARK: - What happens

  /// Begins with this revision.
  mutating func start(at revision: Int64) { self.revision = revision }

  /// - Parameters:
  ///   - changes: the changes, by revision.
  ///   - revision: the newest, of these changes or of others that are not published.
  mutating func append(_ changes: [Change], revision: Int64) {
    self.revision = revision
    // A reader that comes later begins behind them.
    guard !readers.isEmpty else { return }
    for change in changes {
      let slot = Slot(entry: ChangeEntry(change, number: end), bytes: change.roughBytes)
      slots.append(slot)
      byteCount += slot.bytes
      trim()
    }
    if slots.count >= forgetAt { forgetTaken() }
  }

  /// Notes that a message was made from a change.
  mutating func grow(_ number: Int, by bytes: Int) {
    guard number >= first, number < end else { return }
    slots[number - first].bytes += bytes
    byteCount += bytes
    trim()
  }

  /// Notes that there are changes up to `revision` that are not known here: all readers have fallen behind.
  mutating func skip(to revision: Int64) {
    guard revision > self.revision else { return }
    self.revision = revision
    // One number is skipped, which no reader can take.
    forget(before: end)
    first += 1
  }

  /// Notes that no more changes come.
  mutating func finish() { isFinished = true }

  // MARK: - Readers

  /// - Parameter id: the id of a new reader, which begins behind the newest change.
  mutating func add(_ id: Int, _ selection: ChangeSelection) {
    readers[id] = Reader(selection: selection, next: end, place: revision)
  }

  mutating func remove(_ id: Int) {
    readers[id] = nil
    if readers.isEmpty { forget(before: end) }
  }

  /// Sets what the reader wants from its place on.
  mutating func select(_ selection: ChangeSelection, for id: Int) { readers[id]?.selection = selection }

  /// Moves the reader behind the newest change, wherever it was.
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

  /// Whether `take` gives something. What the reader does not want is passed over.
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

  /// Forgets what has been taken by all readers that can still take anything.
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
