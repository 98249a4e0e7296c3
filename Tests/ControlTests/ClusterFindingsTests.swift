import Channels
import ControlAPI
import Storage
import Testing

@testable import ControlServer

/// What is said of daemons that share a store.
struct ClusterFindingsTests {
  private struct Sharing: SharingStorage {
    var all: [SharedStoreDaemon] = []
    var kept: [Storage.SharedCore] = []
    var now = SharedDatabase(clockAhead: 0, hasSynchronousStandby: true)
    var isBroken = false

    func daemons() async throws -> [SharedStoreDaemon] {
      if isBroken { throw StoreError(.inputOutput, "the connection broke") }
      return all
    }
    func cores() async throws -> [Storage.SharedCore] { kept }
    func database() async throws -> SharedDatabase { now }
    func note(declarations: String) async throws {}
    func drain(_ name: String, _ isDraining: Bool) async throws -> Bool { false }
  }

  private static func daemon(
    _ name: String, _ state: SharedStoreDaemon.State = .alive, session: Int64 = 1, hasCatalog: Bool = false,
    declarations: String? = "same"
  ) -> SharedStoreDaemon {
    SharedStoreDaemon(
      name: name, session: session, version: "1", began: Timestamp(milliseconds: 0), state: state, slots: 1,
      hasCatalog: hasCatalog, hasCore: false, declarations: declarations, isDraining: false, isOwn: false)
  }

  private func warnings(_ sharing: Sharing) async -> [Finding] { await ClusterFindings.warnings(of: sharing) }

  @Test func nothingIsSaidOfWhatIsAsItShouldBe() async {
    var sharing = Sharing(all: [Self.daemon("a", hasCatalog: true), Self.daemon("b"), Self.daemon("c", .stopped)])
    sharing.kept = [SharedCore(daemon: "a", isThere: true, channels: 3), SharedCore(daemon: "d", isThere: false, channels: 0)]
    sharing.now.clockAhead = -2_000
    #expect(await warnings(sharing) == [])
  }

  /// A daemon that was killed and has begun again has two sessions for a moment.
  @Test func silentDaemonsAreNamedUnlessTheyHaveBegunAgain() async {
    let found = await warnings(
      Sharing(all: [Self.daemon("a", .silent), Self.daemon("b", .silent), Self.daemon("b", session: 2, hasCatalog: true)]))
    #expect(found.map(\.kind) == ["daemonSilent"] && found[0].severity == "warning")
    #expect(found[0].message.contains("'a'") && found[0].message.contains("start it"))
  }

  @Test(arguments: [(1, "1 channel waits"), (2, "2 channels wait")])
  func channelsThatWaitForACoreAreCounted(_ count: Int, _ words: String) async {
    let found = await warnings(Sharing(kept: [SharedCore(daemon: "a", isThere: false, channels: count)]))
    #expect(found.map(\.kind) == ["coreMissing"])
    #expect(found[0].message.contains("\(words) for the chat core of the daemon 'a'"))
  }

  @Test func otherFilesAreThoseOfWhomDoesNotLookAfterThem() async {
    let found = await warnings(
      Sharing(all: [
        Self.daemon("a", declarations: "other"), Self.daemon("b", hasCatalog: true), Self.daemon("c", declarations: nil),
      ]))
    #expect(found.map(\.kind) == ["declarationsDiffer"] && found[0].message.contains("'a'"))
  }

  @Test(arguments: [(2_001, "2.001 s ahead of"), (-300_000, "300.0 s behind")])
  func clocksThatDifferAreNamed(_ ahead: Int64, _ words: String) async {
    let found = await warnings(Sharing(now: SharedDatabase(clockAhead: ahead, hasSynchronousStandby: true)))
    #expect(found.map(\.kind) == ["clocksDiffer"] && found[0].message.contains(words), "\(found)")
  }

  /// What else is wrong can be said all the same.
  @Test func aDatabaseThatDoesNotAnswerIsAFinding() async {
    let found = await warnings(Sharing(isBroken: true))
    #expect(found.map(\.kind) == ["daemonsUnreadable"] && found[0].message.contains("the connection broke"))
  }
}
