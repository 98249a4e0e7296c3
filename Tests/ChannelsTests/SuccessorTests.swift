import TestTools
import Testing

@testable import Channels

/// The successors of each status, as the comment of `ChannelRelayMachine` lists them.
struct SuccessorTests {
  static let successors: [RelayStatus: Set<RelayStatus>] = [
    .new: [.new, .invited, .failed, .removed],
    .invited: [.invited, .accepted, .failed, .removed],
    .accepted: [.accepted, .active, .failed, .removed],
    .active: [.active, .inactive, .failed, .removed],
    .inactive: [.inactive, .invited, .accepted, .active, .failed, .removed],
    .failed: [.invited, .accepted, .removed],
    .removed: [.removed, .new],
  ]

  /// `TableTests` holds the table to the machine, so what the table lacks does not happen, and what it has does.
  @Test func transitionsOfTheTableAreTheLegalOnes() throws {
    let transcript = try Transcript("table.txt", beside: #filePath)
    var found: [RelayStatus: Set<RelayStatus>] = [:]
    for line in transcript.blocks.flatMap(\.expected) {
      for match in line.matches(of: /record (\w+)->(\w+)/) {
        let from = try #require(RelayStatus(rawValue: String(match.1)), "\(line)")
        let to = try #require(RelayStatus(rawValue: String(match.2)), "\(line)")
        found[from, default: []].insert(to)
      }
    }
    for status in RelayStatus.allCases {
      #expect(found[status] == Self.successors[status], "after \(status)")
    }
  }
}
