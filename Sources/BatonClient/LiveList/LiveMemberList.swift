internal import ControlAPI
internal import Filters

/// The members of one channel, kept in order while they change: members with roles first, each group by name and then by key. It is a
/// value: members go in, steps come out.
struct LiveMemberList {
  /// The sort key of a member.
  private struct Key: Comparable {
    let rank: Int
    /// The name as searches compare it. `nil` for members without a name, who come last.
    let name: String?
    let author: String

    init(_ member: Member) {
      rank = member.roles.isEmpty ? 1 : 0
      name = member.name?.folded
      author = member.author
    }

    static func < (a: Self, b: Self) -> Bool {
      if a.rank != b.rank { return a.rank < b.rank }
      switch (a.name, b.name) {
      case (let x?, let y?) where !x.utf8.elementsEqual(y.utf8): return x.utf8.lexicographicallyPrecedes(y.utf8)
      case (_?, nil): return true
      case (nil, _?): return false
      default: return a.author.utf8.lexicographicallyPrecedes(b.author.utf8)
      }
    }
  }

  /// The standing of the members in the list.
  let standing: String
  private(set) var elements: [Member] = []
  private var keys: [Key] = []

  init(standing: String) { self.standing = standing }

  /// Updates a member to this version.
  mutating func take(_ member: Member) -> [ListChange<Member>] {
    // The known version has another position if the name or the roles changed.
    let known = elements.firstIndex { $0.author == member.author }
    if let known, elements[known].revision >= member.revision { return [] }
    guard member.standing == standing else { return known.map { [remove(at: $0)] } ?? [] }
    guard let known else { return [insert(member)] }
    let key = Key(member)
    if !(keys[known] < key), !(key < keys[known]) {
      elements[known] = member
      return [.update(member, at: known)]
    }
    keys.remove(at: known)
    elements.remove(at: known)
    return [.move(member, from: known, to: place(member))]
  }

  /// Replaces the members after they were loaded again, without comparing revisions, because the database may have been replaced.
  mutating func replace(with members: [Member]) -> [ListChange<Member>] {
    let wanted = Dictionary(members.map { ($0.author, $0) }) { first, _ in first }
    var changes: [ListChange<Member>] = []
    for index in elements.indices.reversed() where wanted[elements[index].author] != elements[index] {
      changes.append(remove(at: index))
    }
    let held = Set(elements.map(\.author))
    for member in wanted.values.filter({ !held.contains($0.author) }).sorted(by: { Key($0) < Key($1) }) {
      changes.append(insert(member))
    }
    return changes
  }

  private mutating func remove(at index: Int) -> ListChange<Member> {
    keys.remove(at: index)
    return .remove(elements.remove(at: index), at: index)
  }

  private mutating func insert(_ member: Member) -> ListChange<Member> { .insert(member, at: place(member)) }

  /// Inserts a member at the right position.
  /// - Returns: that position.
  private mutating func place(_ member: Member) -> Int {
    let key = Key(member)
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    keys.insert(key, at: low)
    elements.insert(member, at: low)
    return low
  }
}
