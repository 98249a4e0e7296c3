/// Parts of all channels. Where several daemons share one store, each channel belongs to the slot that follows from its id, and each slot
/// to one daemon at a time (docs/decisions/0041-an-engine-owns-slots.md).
///
/// Channels of a chat core cannot move. They are in a slot that is *pinned* to the daemon with that core, and wait while it is gone
/// (docs/decisions/0044-a-core-has-a-slot.md).
public struct SlotSet: Sendable, Hashable {
  /// How many slots there are. The number is part of the stored data, and never changes.
  public static let count = 1_024
  /// All slots. A daemon with its own store has them.
  public static let all = SlotSet(numbers: Set(0..<count), pinned: [], isAlone: true)
  public static let none = SlotSet([])
  /// The number of the slot whose daemon also looks after the objects of no channel: operators, servers, relays and identities.
  public static let catalog = 0
  /// Slots that may be pinned. Where a store is shared, no other channels get ids in them.
  public static let pinnable = 1_008..<count

  /// The numbers of the slots.
  public private(set) var numbers: Set<Int>
  /// The slots among them that are pinned to their daemon, for its chat core.
  public private(set) var pinned: Set<Int>
  /// Whether no one else uses the store, so that any id may be given.
  private let isAlone: Bool

  /// - Parameters:
  ///   - numbers: from 0 up to `count`.
  ///   - pinned: further ones, which are pinned to the daemon that owns them.
  public init(_ numbers: some Sequence<Int>, pinned: some Sequence<Int> = []) {
    self.init(numbers: Set(numbers).union(pinned), pinned: Set(pinned), isAlone: false)
    precondition(self.numbers.allSatisfy((0..<Self.count).contains), "there is no such slot")
  }

  private init(numbers: Set<Int>, pinned: Set<Int>, isAlone: Bool) {
    self.numbers = numbers
    self.pinned = pinned.intersection(numbers)
    self.isAlone = isAlone
  }

  public var isEmpty: Bool { numbers.isEmpty }
  public var isAll: Bool { numbers.count == Self.count }

  /// Whether the slot of the catalog is among them.
  public var hasCatalog: Bool { numbers.contains(Self.catalog) }

  /// The number of a channel's slot.
  public static func number(of channel: ChannelID) -> Int { Int(channel.rawValue & Int64(count - 1)) }

  /// Whether the channel belongs to one of them.
  public func contains(_ channel: ChannelID) -> Bool { isAll || numbers.contains(Self.number(of: channel)) }

  /// The lowest id above `last` that belongs to one of these slots, or `nil` if there are none. Two daemons that own different slots thus
  /// never give the same id, even if they know nothing of each other.
  public func next(after last: Int64) -> Int64? { Self.next(after: last, among: numbers) }

  /// The same for the id of a channel.
  /// - Parameter isInCore: whether the channel is in the daemon's chat core, and cannot move.
  public func next(after last: Int64, isInCore: Bool) -> Int64? {
    if isAlone { return next(after: last) }
    return isInCore ? Self.next(after: last, among: pinned) : Self.next(after: last, among: numbers, except: Self.pinnable)
  }

  private static func next(after last: Int64, among numbers: Set<Int>, except others: Range<Int> = 0..<0) -> Int64? {
    (last + 1...last + Int64(count)).first { id in
      let number = Int(id & Int64(count - 1))
      return numbers.contains(number) && !others.contains(number)
    }
  }

  public func union(_ other: SlotSet) -> SlotSet {
    SlotSet(
      numbers: numbers.union(other.numbers), pinned: pinned.union(other.pinned), isAlone: isAlone || other.isAlone)
  }

  public func intersection(_ other: SlotSet) -> SlotSet {
    SlotSet(
      numbers: numbers.intersection(other.numbers), pinned: pinned.union(other.pinned), isAlone: isAlone && other.isAlone)
  }

  public func subtracting(_ other: SlotSet) -> SlotSet {
    SlotSet(
      numbers: numbers.subtracting(other.numbers), pinned: pinned, isAlone: isAlone && numbers.isDisjoint(with: other.numbers))
  }
}
