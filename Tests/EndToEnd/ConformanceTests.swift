import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing
import Varlink

/// The control interfaces as independent libraries see them.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ConformanceTests {
  /// The committed definition of an interface.
  static func committed(_ name: String) throws -> String {
    try String(
      contentsOfFile: Program.repository + "/Sources/ControlAPI/interfaces/\(name).varlink", encoding: .utf8)
  }

  @Test(arguments: ["varlink", "asyncvarlink"]) func pythonUnderstandsTheDaemon(_ library: String) async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    try await baton.addRelays(["ws://127.0.0.1:9/one", "ws://127.0.0.1:9/two"])
    let client = try await Program.run(
      ThirdPartyRelay.python + "/python3", [ThirdPartyRelay.scripts + "/conformance_\(library).py", baton.socket])
    #expect(client.status == 0, "\(client.lines.suffix(5))")
    let seen = try JSONParser.parse(try #require(client.lines.last { $0.hasPrefix("{") }))

    let names = Interfaces.all.map(\.name) + ["org.varlink.service"]
    #expect(seen["info"]?["product"] == "batond" && seen["info"]?["vendor"] == "Baton")
    #expect(seen["info"]?["interfaces"] == .array(names.sorted().map(JSONValue.string)))
    for interface in Interfaces.all {
      #expect(try seen["descriptions"]?[interface.name]?.string == Self.committed(interface.name))
    }
    #expect(seen["added"]?["id"] == 3 && seen["added"]?["name"] == .string(library) && seen["added"]?["enabled"] == false)
    #expect(seen["listed"] == ["r1", "r2", .string(library)])
    #expect(seen["error"] == "org.batond.Relays.NoSuchRelay" && seen["parameters"] == ["id": 4711])
    #expect(seen["changes"] == [[1, "relay"], [2, "relay"], [3, "relay"]], "\(seen["changes"] ?? nil)")
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }
}
