import Channels
import Testing

struct SlotSetTests {
  private let some = SlotSet([1, 5, 1_023])

  @Test func channelsBelongToTheSlotOfTheirID() {
    #expect([1, 5, 1_023, 1_025, 2_047].allSatisfy { some.contains(ChannelID(rawValue: $0)) })
    #expect([2, 4, 1_022, 1_024, 1_026].allSatisfy { !some.contains(ChannelID(rawValue: $0)) })
    #expect(SlotSet.number(of: ChannelID(rawValue: 3_072)) == 0)
    #expect(SlotSet.all.contains(ChannelID(rawValue: .max)) && !SlotSet.none.contains(ChannelID(rawValue: 1)))
  }

  @Test func nextIDsBelongToTheSlots() {
    #expect(some.next(after: 0) == 1 && some.next(after: 1) == 5 && some.next(after: 5) == 1_023)
    #expect(some.next(after: 1_023) == 1_025 && some.next(after: 1_024) == 1_025)
    #expect(SlotSet([7]).next(after: 7) == 1_031)
    #expect(SlotSet.all.next(after: 41) == 42)
    #expect(SlotSet.none.next(after: 41) == nil)
    // Whatever each of them knows, they give different ids.
    let (mine, theirs) = (SlotSet(0..<512), SlotSet(512..<1_024))
    for (a, b) in [(0, 0), (511, 511), (511, 1_023), (5_000, 4_000)] as [(Int64, Int64)] {
      #expect(mine.next(after: a) != theirs.next(after: b))
    }
  }

  /// Channels that cannot move get ids in the slot of their core, and all others get none there.
  @Test func channelsInACoreGetIDsInItsSlot() {
    let shared = SlotSet([1, 1_008, 1_010], pinned: [1_020])
    #expect(shared.numbers == [1, 1_008, 1_010, 1_020] && shared.pinned == [1_020])
    #expect(shared.next(after: 0, isInCore: true) == 1_020 && shared.next(after: 1_020, isInCore: true) == 2_044)
    #expect(shared.next(after: 0, isInCore: false) == 1 && shared.next(after: 1, isInCore: false) == 1_025)
    #expect(shared.next(after: 1) == 1_008, "a post may have any id in them")
    #expect(SlotSet([1_008]).next(after: 0, isInCore: false) == nil && SlotSet([1]).next(after: 0, isInCore: true) == nil)
    #expect(SlotSet(0..<SlotSet.count).next(after: 0, isInCore: true) == nil)
    // No one else uses the store.
    #expect([true, false].allSatisfy { SlotSet.all.next(after: 1_008, isInCore: $0) == 1_009 })
    // What is lost is pinned no more, and what comes back is.
    let lost = shared.subtracting(SlotSet([1_020]))
    #expect(lost == SlotSet([1, 1_008, 1_010]) && lost.union(SlotSet([], pinned: [1_020])) == shared)
    #expect(shared.intersection(SlotSet([1_020])).pinned == [1_020] && shared.intersection(SlotSet([1])).pinned.isEmpty)
    #expect(SlotSet.all.subtracting(.none) == .all && SlotSet.all.subtracting(SlotSet([3])) != .all)
  }

  @Test func setsAreSets() {
    let rest = SlotSet.all.subtracting(some)
    #expect(rest.numbers.count == SlotSet.count - 3 && rest.intersection(some).isEmpty && rest.union(some).isAll)
    #expect(
      rest.union(some) == SlotSet(0..<SlotSet.count) && rest.union(some) != .all && some.subtracting(.all) == .none
        && !some.isAll && !some.isEmpty)
  }
}
