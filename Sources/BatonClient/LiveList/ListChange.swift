/// One step from an old list to a new one, in the form that lists in user interfaces expect. Steps are applied one after the other:
/// each index refers to the list as the steps before have left it.
public enum ListChange<Element: Sendable>: Sendable {
  case insert(Element, at: Int)
  /// The element is removed at `from` and then inserted at `to`.
  case move(Element, from: Int, to: Int)
  /// The element is replaced by a newer version.
  case update(Element, at: Int)
  case remove(Element, at: Int)
}

extension ListChange: Equatable where Element: Equatable {}

extension Array where Element: Sendable {
  /// The list after `changes`.
  public mutating func apply(_ changes: [ListChange<Element>]) {
    for change in changes {
      switch change {
      case .insert(let element, let index): insert(element, at: index)
      case .move(let element, let from, let to):
        remove(at: from)
        insert(element, at: to)
      case .update(let element, let index): self[index] = element
      case .remove(_, let index): remove(at: index)
      }
    }
  }
}
