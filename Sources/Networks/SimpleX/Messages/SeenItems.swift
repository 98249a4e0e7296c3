/// The items of a channel that were reported, so that none is reported twice when the channel is read again. It is bounded: of the lower
/// numbers only the highest is kept.
struct SeenItems {
  /// How many items are kept by name.
  static let max = 256

  /// In the order of their numbers.
  private var items: [(id: CoreItem.ID, name: String)] = []
  /// Items up to this one count as seen, once the whole window was read.
  private var floor: CoreItem.ID?

  /// The name of an item that was reported. `nil` if it was not, or long ago.
  func name(of id: CoreItem.ID) -> String? {
    let at = place(of: id)
    return at < items.endIndex && items[at].id == id ? items[at].name : nil
  }

  /// Whether an item was not reported, as far as the channel's window was read.
  func isNew(_ id: CoreItem.ID) -> Bool { floor.map { id > $0 } ?? true && name(of: id) == nil }

  mutating func note(_ id: CoreItem.ID, as name: String) {
    let at = place(of: id)
    guard at == items.endIndex || items[at].id != id else { return }
    items.insert((id, name), at: at)
    guard items.count > Self.max else { return }
    floor = Swift.max(floor ?? items[0].id, items[0].id)
    items.removeFirst()
  }

  /// The first place whose item is not below `id`. Most items are the newest.
  private func place(of id: CoreItem.ID) -> Int {
    guard let last = items.last, last.id >= id else { return items.endIndex }
    var (low, high) = (0, items.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if items[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
