import Foundation
import TestTools
import Testing

/// The parsers of peers' input run in a process of their own, so that a crash, a hang or growth is theirs.
///
/// `BATON_SEED=n scripts/test VarlinkTests --filter WireFuzz` repeats a run; `swift run -c release baton-fuzz 100000000` makes a long one.
@Suite
struct WireFuzzTests {
  /// More than the allocator's own fluctuation; a leak of one byte per input would exceed it.
  private static let growthKilobytesMax = 900

  @Test func aMillionInputsAreTakenOrRefused() async throws {
    let seed = ProcessInfo.processInfo.environment["BATON_SEED"] ?? "20261121"
    let fuzz = try await Program.run("baton-fuzz", ["1000000"], environment: ["BATON_SEED": seed])
    #expect(fuzz.status == 0, "BATON_SEED=\(seed): \(fuzz.lines.suffix(2))")
    let result = try #require(fuzz.lines.last?.firstMatch(of: /^(\d+) inputs, (\d+) accepted, grew by (\d+) KiB$/))
    #expect(result.1 == "1000000")
    // Some inputs get through and some do not; otherwise little was tried.
    #expect((50_000...950_000).contains(try #require(Int(result.2))), "\(result.0)")
    #expect(try #require(Int(result.3)) < Self.growthKilobytesMax, "\(result.0)")
  }
}
