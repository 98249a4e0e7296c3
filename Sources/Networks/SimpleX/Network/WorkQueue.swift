internal import DequeModule

/// Things to look at, in order, each once.
struct WorkQueue<Element: Hashable> {
  private var order: Deque<Element> = []
  private var members: Set<Element> = []

  var isEmpty: Bool { order.isEmpty }

  mutating func add(_ element: Element) {
    if members.insert(element).inserted { order.append(element) }
  }

  mutating func next() -> Element? {
    guard let element = order.popFirst() else { return nil }
    members.remove(element)
    return element
  }
}
