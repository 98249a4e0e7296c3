import Testing

@testable import ConsoleProgram

/// No one takes all places.
struct PlacesTests {
  @Test func oneUserGetsTheirShareOnly() {
    var places = Places<String>(max: 5, perUserMax: 3)
    func take(_ users: [String?]) -> [Bool] { users.map { places.take($0) } }
    #expect(take(["ann", "ann", "ann", "ann"]) == [true, true, true, false])
    #expect(take(["bob", nil]) == [true, true], "who is not known counts for the whole only")
    #expect(take(["bob", nil]) == [false, false], "all are taken")
    places.leave("ann")
    #expect(take(["bob"]) == [true])
    places.leave(nil)
    #expect(take(["ann", "ann"]) == [true, false])
    for user in ["ann", "ann", "ann", "bob", "bob"] { places.leave(user) }
    #expect(take(["bob", "bob", "bob", "bob"]) == [true, true, true, false])
  }

  @Test func whoHasLeastComesNext() {
    var places = Places<String>(max: 4, perUserMax: 2)
    func next(_ waiting: [String?]) -> Int? { places.takeNext(for: waiting) }
    #expect((0..<4).map { _ in next(["ann", "ann", "bob", nil]) } == [0, 2, 3, 3], "who is not known has none")
    #expect(next([nil, "ann"]) == nil, "all are taken")
    for _ in 0..<2 { places.leave(nil) }
    #expect(next(["ann", "cid"]) == 1)
    #expect(next(["bob", "ann"]) == 0, "the first of those who have as many")
    places.leave("cid")
    #expect(next(["bob", "bob"]) == nil, "bob has his share")
    #expect(next(["bob", "ann"]) == 1)
    #expect(next([]) == nil)
  }
}
