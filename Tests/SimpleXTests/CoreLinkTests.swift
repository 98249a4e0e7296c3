import RelayNetwork
import StrictJSON
import Testing

@testable import SimpleX

/// Links as a core gives them out and takes them.
struct CoreLinkTests {
  private func relay(_ address: String) throws -> CoreRelay {
    let json: JSONValue = [
      "chatRelayId": 1, "address": .string(address), "relayProfile": ["displayName": "r", "fullName": ""], "domains": [],
      "preset": false, "enabled": true, "deleted": false,
    ]
    return try CoreRelay(try CoreReader(json))
  }

  @Test func relaysOfTheCoreAndOfBatonAreTheSameByKey() throws {
    for address in AddressSamples.presetRelays + [AddressSamples.documentedRelay] {
      let own = try SimpleXAddressing().parse(address: address)
      #expect(try relay(address).comparisonKey == own.comparisonKey)
      #expect(try relay(address.replacing("/r#", with: "/R/#")).comparisonKey == own.comparisonKey)
      #expect(try CoreRelayAddress(address.replacing("/r#", with: "/R/#")).text == address)
    }
    #expect(try relay("no link").comparisonKey == nil)
    #expect(Set(try AddressSamples.presetRelays.map { try relay($0).comparisonKey }).count == 3)
  }

  @Test(arguments: [("c", SimpleXLink.Kind.channel), ("g", .group), ("r", .relay), ("a", .contact)])
  func lettersAreReadInAnyCaseAndWrittenSmall(letter: String, kind: SimpleXLink.Kind) throws {
    for spelling in [letter, letter.uppercased()] {
      for text in [
        "https://SMP5.simplex.im/\(spelling)#\(AddressSamples.key)",
        "simplex:/\(spelling)/#\(AddressSamples.key)?h=smp5.simplex.im",
      ] {
        let link = try SimpleXLink(text)
        #expect(link.kind == kind)
        #expect(link.text == "https://smp5.simplex.im/\(letter)#\(AddressSamples.key)")
        #expect(hostOfRelayLink(text) == "smp5.simplex.im")
      }
    }
  }

  /// Only a relay's own address is one: neither its link for a channel nor the channel's link.
  @Test(arguments: ["a", "c", "g"]) func otherLinksAreNoRelays(letter: String) {
    let text = "https://smp5.simplex.im/\(letter)#\(AddressSamples.key)"
    #expect(throws: InvalidAddress.self) { try CoreRelayAddress(text) }
  }
}
