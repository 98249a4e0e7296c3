import StrictJSON
import Testing

@testable import ControlProgram

/// The changes between two answers of a list that is watched.
struct ListChangesTests {
  @Test func changesOfAListAreShownOnce() throws {
    struct Object: Encodable {
      let id: Int64
      var revision: Int64?
      var name = ""
    }
    var known = KnownObjects<Object>(kind: "thing")
    func told(_ objects: [Object]) throws -> [String] { try known.become(objects).map { "\($0.kind.sign)\($0.object.id)" } }
    #expect(try told([Object(id: 2, revision: 1), Object(id: 1, revision: 1)]) == ["+2", "+1"])
    #expect(try told([Object(id: 2, revision: 1, name: "not live"), Object(id: 1, revision: 2)]) == ["~1"])
    #expect(try told([Object(id: 3, name: "a")]) == ["-1", "-2", "+3"])
    #expect(try told([Object(id: 3, name: "b")]) == ["~3"])
    let changes = try known.become([])
    #expect(changes.map(\.json) == [["change": "removed", "thing": ["id": 3, "name": "b"]]])
  }
}
