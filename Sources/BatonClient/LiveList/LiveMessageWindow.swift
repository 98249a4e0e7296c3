internal import ControlAPI

/// The loaded part of a channel's messages, newest first, kept in order while they change. It is a value: messages go in, steps come out.
struct LiveMessageWindow {
  /// The part of a message that never changes: its place in the order of its channel.
  private struct Key: Comparable, Hashable {
    let place: Int
    let id: Int64

    init(_ message: Message) { (place, id) = (message.place, message.id) }

    static func < (a: Self, b: Self) -> Bool { (a.place, a.id) < (b.place, b.id) }
  }

  /// Newest first.
  private(set) var elements: [Message] = []
  /// The last message of the last page, or `nil` if everything is loaded.
  private var end: Key?
  /// Whether any page was loaded. Before that, changes are ignored.
  private var hasBegun = false
  /// Messages that changed since a page was requested. The page may have older versions of them, and may extend to their positions.
  private var heard: [Int64: Message]?

  /// The message before which the next page ends, or `nil` if everything is loaded.
  var anchor: Int64? { end?.id }

  /// Records that a page was requested.
  mutating func willLoad() { heard = [:] }

  /// Records that the page did not arrive.
  mutating func didNotLoad() { heard = nil }

  /// Adds the page that was requested: the messages before `anchor`.
  /// - Parameter isLast: whether this is the last page.
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
  /// - Parameter messages: newest first, none deleted or hidden. Revisions are not compared, because the database may have been replaced.
  mutating func replace(with messages: [Message], isComplete: Bool) -> [ListChange<Message>] {
    heard = nil
    hasBegun = true
    let wanted = Set(messages.map(Key.init))
    var changes: [ListChange<Message>] = []
    for index in elements.indices.reversed() where !wanted.contains(Key(elements[index])) {
      changes.append(.remove(elements.remove(at: index), at: index))
    }
    // The remaining messages are already in the wanted order.
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

  /// Records how far the messages are loaded.
  private mutating func reach(to page: [Message], _ isLast: Bool) {
    if isLast { end = nil } else if let last = page.last { end = Key(last) }
  }

  /// The position of a message, whether it is in the list or not.
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
  /// Whether lists show it.
  fileprivate var isShown: Bool { deletedAt == nil && !hidden }
}
