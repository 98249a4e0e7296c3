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

  @Test func setsAreSets() {
    let rest = SlotSet.all.subtracting(some)
    #expect(rest.numbers.count == SlotSet.count - 3 && rest.intersection(some).isEmpty && rest.union(some).isAll)
    #expect(rest.union(some) == .all && some.subtracting(.all) == .none && !some.isAll && !some.isEmpty)
  }
}
