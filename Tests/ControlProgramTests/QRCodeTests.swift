import QRCodes
import Testing

@testable import ControlProgram

/// Links as codes on a terminal.
struct QRCodeTests {
  /// The pattern in a corner by which readers find the code is dark, and what surrounds it is light.
  @Test func qrCodeIsDarkOnLight() throws {
    let lines = try #require(QRCode("nostr:nevent1")).text(hasColor: false).split(separator: "\n").map(Array.init)
    let light = try #require(lines.first?.first)
    let corner = lines[1]
    #expect(lines[0].allSatisfy { $0 == light } && corner[0] == light && corner[1] == light)
    #expect(corner[2] != light && corner[8] == corner[2] && corner[9] == light, "\(String(corner))")
  }
}
