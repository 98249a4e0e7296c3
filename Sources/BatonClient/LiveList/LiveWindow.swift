internal import Filters
internal import StrictJSON

/// The loaded part of a list, kept in order while objects change. It is a value: objects go in, steps come out.
struct LiveWindow<Element: LiveElement> {
  private struct Entry {
    let element: Element
    let key: [JSONValue]
  }

  private let filter: Filter
  private let order: ListOrder
  private var entries: [Entry] = []
  /// The sort values of the last object of the last page, or `nil` if everything is loaded.
  private var end: [JSONValue]?
  /// Whether any page was loaded. Before that, changes are ignored.
  private var hasBegun = false
  /// Objects that changed since a page was requested. The page may have older versions of them, and may extend to their positions.
  private var heard: [Int64: Element]?

  init(filter: Filter, order: ListOrder) {
    self.filter = filter
    self.order = order
  }

  var elements: [Element] { entries.map(\.element) }

  /// Records that a page was requested.
  mutating func willLoad() { heard = [:] }

  /// Records that the page did not arrive.
  mutating func didNotLoad() { heard = nil }

  /// Inserts the page that was requested.
  /// - Parameter isLast: whether this is the last page.
  mutating func load(_ page: [Element], isLast: Bool) throws -> [ListChange<Element>] {
    let newer = heard ?? [:]
    heard = nil
    hasBegun = true
    if isLast {
      end = nil
    } else if let last = page.last {
      end = order.values(of: try last.json)
    }
    let current = page.filter { element in newer[element.id].map { $0.revision <= element.revision } ?? true }
    return try (current + newer.values.sorted { $0.id < $1.id }).flatMap { try take($0) }
  }

  /// Updates an object to this version.
  /// - Parameter isTrue: whether to use it even if a later version is known.
  mutating func take(_ element: Element, isTrue: Bool = false) throws -> [ListChange<Element>] {
    heard?[element.id] = element
    guard hasBegun else { return [] }
    let old = entries.firstIndex { $0.element.id == element.id }
    if let old, isTrue ? entries[old].element == element : entries[old].element.revision >= element.revision { return [] }
    let json = try element.json
    let key = order.values(of: json)
    guard isWanted(json), isInside(key) else {
      guard let old else { return [] }
      return [.remove(entries.remove(at: old).element, at: old)]
    }
    guard let old else {
      let place = place(of: key)
      entries.insert(Entry(element: element, key: key), at: place)
      return [.insert(element, at: place)]
    }
    entries.remove(at: old)
    let place = place(of: key)
    entries.insert(Entry(element: element, key: key), at: place)
    return [place == old ? .update(element, at: old) : .move(element, from: old, to: place)]
  }

  /// Replaces the list after the part that was loaded before was loaded again.
  mutating func replace(with elements: [Element], isComplete: Bool) throws -> [ListChange<Element>] {
    hasBegun = true
    let known = Set(elements.map(\.id))
    var changes: [ListChange<Element>] = []
    for index in entries.indices.reversed() where !known.contains(entries[index].element.id) {
      changes.append(.remove(entries.remove(at: index).element, at: index))
    }
    end = nil
    // The database may have been replaced, and revisions of two databases are not comparable.
    for element in elements { changes += try take(element, isTrue: true) }
    if !isComplete, let last = elements.last { end = order.values(of: try last.json) }
    return changes
  }

  private func isWanted(_ json: JSONValue) -> Bool {
    let (field, values) = Element.deletion
    if !filter.fields.contains(field), let value = json[field], values.contains(value) { return false }
    return filter.matches(json)
  }

  private func isInside(_ key: [JSONValue]) -> Bool { end.map { !order.isBefore($0, key) } ?? true }

  private func place(of key: [JSONValue]) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if order.isBefore(entries[middle].key, key) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
