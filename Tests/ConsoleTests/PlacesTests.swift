import Testing

@testable import ConsoleProgram

/// Nobody takes all places.
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
}
