/// Parts of all channels. Where several daemons share one store, each channel belongs to the slot that follows from its id, and each slot to
/// one daemon at a time (docs/decisions/0041-an-engine-owns-slots.md).
public struct SlotSet: Sendable, Hashable {
  /// How many slots there are. The number is part of what is stored, and never changes.
  public static let count = 1_024
  /// All of them: what a daemon owns that has its store for itself.
  public static let all = SlotSet(0..<count)
  public static let none = SlotSet([])
  /// The number of the slot whose daemon also looks after what belongs to no channel: operators, servers, relays and identities.
  public static let catalog = 0

  /// The numbers of the slots.
  public private(set) var numbers: Set<Int>

  /// - Parameter numbers: from 0 up to `count`.
  public init(_ numbers: some Sequence<Int>) {
    self.numbers = Set(numbers)
    precondition(self.numbers.allSatisfy((0..<Self.count).contains), "there is no such slot")
  }

  public var isEmpty: Bool { numbers.isEmpty }
  public var isAll: Bool { numbers.count == Self.count }

  /// Whether the slot of the catalog is among them.
  public var hasCatalog: Bool { numbers.contains(Self.catalog) }

  /// The number of a channel's slot.
  public static func number(of channel: ChannelID) -> Int { Int(channel.rawValue & Int64(count - 1)) }

  /// Whether the channel belongs to one of them.
  public func contains(_ channel: ChannelID) -> Bool { isAll || numbers.contains(Self.number(of: channel)) }

  /// The lowest id above `last` that belongs to one of them; `nil` if there are none. Two daemons that own different slots thus never
  /// give the same id, whatever each knows of the other.
  public func next(after last: Int64) -> Int64? {
    if isAll { return last + 1 }
    return (last + 1...last + Int64(Self.count)).first { numbers.contains(Int($0 & Int64(Self.count - 1))) }
  }

  public func union(_ other: SlotSet) -> SlotSet { SlotSet(numbers.union(other.numbers)) }
  public func intersection(_ other: SlotSet) -> SlotSet { SlotSet(numbers.intersection(other.numbers)) }
  public func subtracting(_ other: SlotSet) -> SlotSet { SlotSet(numbers.subtracting(other.numbers)) }
}
