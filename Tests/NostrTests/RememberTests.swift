import Testing

@testable import Nostr

/// Tables of values that can be found out again.
struct RememberTests {
  @Test func tablesStayBoundedAndKeepTheNewest() {
    var table: [Int: String] = [:]
    for number in 1...3 { table.remember("a", for: number, max: 3) }
    #expect(table.count == 3)
    table.remember("b", for: 2, max: 3)
    #expect(table == [1: "a", 2: "b", 3: "a"], "an entry that is replaced forgets no other")
    table.remember("c", for: 4, max: 3)
    #expect(table == [4: "c"])
  }
}
