internal import ControlAPI

/// The part of a channel's messages that is loaded, newest first, kept in order while they change. It is a value: messages go in, steps come
/// out.
struct LiveMessageWindow {
  /// What a message keeps forever: its place in the order of its channel.
  private struct Key: Comparable, Hashable {
    let place: Int
    let id: Int64

    init(_ message: Message) { (place, id) = (message.place, message.id) }

    static func < (a: Self, b: Self) -> Bool { (a.place, a.id) < (b.place, b.id) }
  }

  /// Newest first.
  private(set) var elements: [Message] = []
  /// The last message of the last page; `nil` if everything is loaded.
  private var end: Key?
  /// Whether any page was loaded; before that, changes are ignored.
  private var hasBegun = false
  /// Messages that changed while a page is on its way. The page may have them as they were before, and may reach to where they belong.
  private var heard: [Int64: Message]?

  /// The message before which the next page ends; `nil` if everything is loaded.
  var anchor: Int64? { end?.id }

  /// Records that a page was requested.
  mutating func willLoad() { heard = [:] }

  /// Records that the page did not come.
  mutating func didNotLoad() { heard = nil }

  /// Adds the page that was requested: the messages before `anchor`.
  /// - Parameter isLast: whether there are no more.
  mutating func load(_ page: [Message], isLast: Bool) -> [ListChange<Message>] {
    let newer = heard ?? [:]
    heard = nil
    hasBegun = true
    reach(to: page, isLast)
    let current = page.filter { message in newer[message.id].map { $0.revision <= message.revision } ?? true }
    return (current + newer.values.sorted { $0.revision < $1.revision }).flatMap { take($0) }
  }

  /// Updates a message to this version.
  mutating func take(_ message: Message) -> [ListChange<Message>] {
    heard?[message.id] = message
    let key = Key(message)
    guard hasBegun else { return [] }
    let (place, isHeld) = place(of: key)
    if isHeld {
      guard elements[place].revision < message.revision else { return [] }
      guard message.isShown else { return [.remove(elements.remove(at: place), at: place)] }
      elements[place] = message
      return [.update(message, at: place)]
    }
    guard message.isShown, end.map({ $0 <= key }) ?? true else { return [] }
    elements.insert(message, at: place)
    return [.insert(message, at: place)]
  }

  /// Replaces the messages after they were loaded again.
  /// - Parameter messages: newest first, none deleted or hidden. They are right whatever their revisions, because the database may be another one.
  mutating func replace(with messages: [Message], isComplete: Bool) -> [ListChange<Message>] {
    heard = nil
    hasBegun = true
    let wanted = Set(messages.map(Key.init))
    var changes: [ListChange<Message>] = []
    for index in elements.indices.reversed() where !wanted.contains(Key(elements[index])) {
      changes.append(.remove(elements.remove(at: index), at: index))
    }
    // Those that are left are in the order in which they are wanted.
    for (index, message) in messages.enumerated() {
      if index < elements.count, Key(elements[index]) == Key(message) {
        guard elements[index] != message else { continue }
        elements[index] = message
        changes.append(.update(message, at: index))
      } else {
        elements.insert(message, at: index)
        changes.append(.insert(message, at: index))
      }
    }
    end = nil
    reach(to: messages, isComplete)
    return changes
  }

  // MARK: - Helpers

  /// Notes how far the messages are loaded.
  private mutating func reach(to page: [Message], _ isLast: Bool) {
    if isLast { end = nil } else if let last = page.last { end = Key(last) }
  }

  /// Where a message is, or would be.
  private func place(of key: Key) -> (index: Int, isHeld: Bool) {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if key < Key(elements[middle]) { low = middle + 1 } else { high = middle }
    }
    return (low, low < elements.count && Key(elements[low]) == key)
  }
}

extension Message {
  /// Whether lists have it.
  fileprivate var isShown: Bool { deletedAt == nil && !hidden }
}
