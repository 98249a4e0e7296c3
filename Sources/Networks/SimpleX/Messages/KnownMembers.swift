internal import DequeModule

/// The numbers of members in the core, by the names that messages and lists have for them. It is bounded: names that were noted first are
/// forgotten first.
struct KnownMembers {
  struct Name: Hashable {
    let group: CoreGroup.ID
    let member: String
  }

  static let max = 20_000

  private var numbers: [Name: CoreMember.ID] = [:]
  private var order: Deque<Name> = []

  subscript(name: Name) -> CoreMember.ID? { numbers[name] }

  mutating func note(_ member: CoreMember.ID, as name: Name) {
    if numbers.updateValue(member, forKey: name) == nil { order.append(name) }
    if order.count > Self.max, let first = order.popFirst() { numbers[first] = nil }
  }

  mutating func forget(_ name: Name) {
    guard numbers.removeValue(forKey: name) != nil else { return }
    order.removeAll { $0 == name }
  }
}
