import BatonClient
import Channels
import ControlAPI
import Coordinator
import Filters
import Foundation
import Meters
import Storage
import Store
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// Identities, figures, copies of the database and its checks.
struct CareTests {
  private func refusal(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch let error as VarlinkError {
      return error.name.split(separator: ".").last.map(String.init)
    } catch { return "\(error)" }
  }

  /// The levels of syslog(3), and no others.
  @Test func logLevelIsOneOfSyslog() async throws {
    let bench = try await Bench()
    func set(_ level: Int64) async -> String? {
      await refusal { _ = try await bench.client.call("io.systemd.service.SetLogLevel", ["level": .integer(level)]) }
    }
    for level: Int64 in [0, 3, 7] { #expect(await set(level) == nil) }
    for level: Int64 in [-1, 8, .max] { #expect(await set(level) == "InvalidParameter", "\(level)") }
    try await bench.stop()
  }

  @Test func identitiesOwnChannelsAndGoWhenTheyOwnNone() async throws {
    let bench = try await Bench()
    let client = bench.client
    let relays = try await bench.addRelays(1)
    #expect(try await client.identities.all().map(\.name) == ["main"])
    try "\u{FEFF}key of the desk\r\n".write(toFile: bench.folder.path + "/desk", atomically: true, encoding: .utf8)
    try "hunter2".write(toFile: bench.folder.path + "/bad", atomically: true, encoding: .utf8)
    let desk = try await client.identities.add(name: "News desk", credential: "desk")
    #expect(desk.id == 2 && desk.channels == 0 && !"\(desk)".contains("key of the desk\n"))
    #expect(await refusal { _ = try await client.identities.add(name: "News desk") } == "DuplicateName")
    #expect(await refusal { _ = try await client.identities.add(name: "Other", credential: "desk") } == "DuplicateName")
    // The same key, however it was saved.
    try "key of the desk".write(toFile: bench.folder.path + "/same", atomically: true, encoding: .utf8)
    #expect(await refusal { _ = try await client.identities.add(name: "Other", credential: "same") } == "DuplicateName")
    // The master key may be a credential too; it must not become the key of an identity.
    try "key of the desk 2\n".write(toFile: bench.folder.path + "/identity.key", atomically: true, encoding: .utf8)
    for credential in ["identity.key\0", "identity.key\0x"] {
      #expect(
        await refusal { _ = try await client.identities.add(name: "Other", credential: credential) } == "InvalidParameter")
    }
    for credential in ["nothing", "../desk", "", "bad", "identity.key", "desk\n", "d esk"] {
      do {
        _ = try await client.identities.add(name: "Other", credential: credential)
        Issue.record("'\(credential)' was taken")
      } catch let error as VarlinkError {
        #expect(error.name == "org.batond.Identities.InvalidCredential" && !"\(error.parameters)".contains("hunter2"))
      }
    }
    #expect(await refusal { _ = try await client.identities.add(name: "x", network: "simplex") } == "NetworkUnavailable")

    #expect(try await client.identities.all(filter: ["name": "News desk"]).map(\.id) == [2])
    #expect(try await client.identities.all(sort: [["field": "name", "direction": -1]]).map(\.id) == [1, 2])
    let page = try await client.call("org.batond.Identities.List", ["limit": 1])
    #expect(page["identities"]?.array?.count == 1 && page["revision"]?.integer != nil)
    let rest = try await client.call("org.batond.Identities.List", ["cursor": page["nextCursor"] ?? ""])
    #expect(try [Identity](json: rest["identities"] ?? []).map(\.id) == [2] && rest["nextCursor"] == nil)
    #expect(await refusal { _ = try await client.identities.all(filter: ["secret": "x"]) } == "InvalidFilter")

    let channel = try await client.channels.create(
      CreateChannel(profile: .init(displayName: "City"), identity: "News desk", relayIds: relays))
    #expect(channel.identity == "News desk")
    #expect(try await client.identities.get(name: "News desk").channels == 1)
    #expect(await refusal { _ = try await client.identities.remove(id: 2) } == "IdentityInUse")
    #expect(await refusal { _ = try await client.identities.remove(id: 1) } == "IdentityInUse")
    #expect(await refusal { _ = try await client.identities.remove(id: 99) } == "NoSuchIdentity")
    _ = try await client.channels.delete(id: channel.id)
    for _ in 0..<6 { try await bench.coordinator.barrier() }
    #expect(try await client.identities.remove(id: 2).name == "News desk")
    #expect(await refusal { _ = try await client.identities.get(id: 2) } == "NoSuchIdentity")
    // The name is free again, and the deleted channel is still there to see.
    #expect(try await client.identities.add(name: "News desk").id == 3)
    #expect(try await client.channels.get(id: channel.id).phase == "deleted")
    try await bench.stop()
  }

  @Test func listsGiveWhatTheLimitsAllow() async throws {
    var limits = ListLimits()
    (limits.pageMax, limits.filter.depthMax, limits.filter.nodesMax) = (2, 2, 5)
    let bench = try await Bench(listLimits: limits)
    _ = try await bench.addRelays(3)
    let page = try await bench.client.call("org.batond.Relays.List")
    #expect(page["relays"]?.array?.count == 2 && page["nextCursor"] != nil)
    func refused(_ parameters: [String: JSONValue]) async -> String? {
      await refusal { _ = try await bench.client.call("org.batond.Channels.List", parameters) }
    }
    #expect(try await bench.client.call("org.batond.Relays.List", ["limit": 3])["relays"]?.array?.count == 2)
    #expect(try await bench.client.relays.all().count == 3)
    #expect(await refused(["limit": 1001]) == "InvalidParameter")
    #expect(await refused(["limit": 2, "filter": ["$or": [["id": 1]]]]) == nil)
    // Its conditions are not too many, but they are too deep.
    #expect(await refused(["filter": ["$or": [["$or": [["id": 1]]]]]]) == "InvalidFilter")
    #expect(await refused(["filter": ["id": ["$in": [1, 2, 3, 4]]]]) == "InvalidFilter")
    try await bench.stop()
  }

  /// Changes made after the copy are lost, and later ones are not mistaken for them.
  @Test func clientThatKnewMoreThanTheCopyMustListAgain() async throws {
    let bench = try await Bench()
    let (folder, relays) = (bench.folder, try await bench.addRelays(1))
    _ = try await bench.create("kept")
    let copy = folder.path + "/copy.db"
    try bench.store.backUp(to: copy)
    for number in 0..<5 { _ = try await bench.create("lost \(number)") }
    let known = try await bench.client.daemon.status().revision
    try await bench.stop()
    _ = try Store.restore(from: copy, directory: folder.path + "/state", stamp: "1")

    let again = try await Bench(folder: folder)
    let listed = try #require(try await again.client.call("org.batond.Channels.List")["revision"]?.integer)
    #expect(listed > known)
    for number in 0..<9 { _ = try await again.create("new \(number)") }
    #expect(
      await refusal { for try await _ in try await again.client.monitor.watch(WatchRequest(since: known)) { return } }
        == "RevisionCompacted")
    let channel = try await again.client.channels.create(
      CreateChannel(profile: .init(displayName: "last"), relayIds: relays))
    var heard: [String] = []
    for try await change in try await again.client.monitor.watch(WatchRequest(since: listed, kinds: ["channel"])) {
      guard let channel = try change.after.map({ try Channel(json: $0) }) else { continue }
      if heard.last != channel.profile.displayName { heard.append(channel.profile.displayName) }
      if heard.last == "last" { break }
    }
    #expect(Set(heard) == Set((0..<9).map { "new \($0)" } + ["last"]) && channel.revision > listed)
    try await again.stop()
  }

  @Test func copiesAreWholeWhileChannelsAreMade() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(2)
    for number in 0..<20 { _ = try await bench.create("before \(number)") }
    let client = bench.client
    let making = Task {
      for number in 0..<40 {
        _ = try await client.channels.create(CreateChannel(profile: .init(displayName: "while \(number)")))
      }
    }
    var copy = Data()
    var size: Int64 = -1
    for try await reply in try await client.stream("org.batond.Daemon.Backup") {
      copy.append(try #require(Data(base64Encoded: reply["data"]?.string ?? "?")))
      size = reply["size"]?.integer ?? -1
    }
    try await making.value
    #expect(Int64(copy.count) == size)
    #expect(await refusal { _ = try await client.call("org.batond.Daemon.Backup") } == "ExpectedMore")
    // Nothing is left behind in the state directory.
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path + "/state")
    #expect(!names.contains { $0.hasPrefix("copy-") })

    let file = bench.folder.path + "/copy.db"
    try copy.write(to: URL(fileURLWithPath: file))
    #expect(throws: StoreError.self, "not while the daemon runs") {
      try Store.restore(from: file, directory: bench.folder.path + "/state", stamp: "1")
    }
    let other = bench.folder.path + "/other"
    #expect(try Store.restore(from: file, directory: other, stamp: "1").before == nil)
    let restored = try Store(directory: other)
    #expect(try restored.totals().channels >= 20)
    #expect(try restored.check().problems.isEmpty)
    restored.close()
    #expect(try Store.restore(from: file, directory: other, stamp: "2").before == other + "/baton.db.before-2")
    #expect(throws: StoreError.self) { try Store.restore(from: "/etc/passwd", directory: other, stamp: "3") }
    // A link to a copy is followed, never moved; a log beside the copy is included; leftovers do no harm.
    let latest = bench.folder.path + "/latest.db"
    try FileManager.default.createSymbolicLink(atPath: latest, withDestinationPath: file)
    try Data("left behind".utf8).write(to: URL(fileURLWithPath: other + "/baton.db.new"))
    #expect(try Store.restore(from: latest, directory: other, stamp: "5").before == other + "/baton.db.before-5")
    let type = try FileManager.default.attributesOfItem(atPath: other + "/baton.db")[.type] as? FileAttributeType
    #expect(type == .typeRegular)
    let third = bench.folder.path + "/third"
    let busy = try Store(directory: third)
    try await busy.commit([.probe(Timestamp(milliseconds: 7))])
    let withLog = bench.folder.path + "/with-log.db"
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: third + "/baton.db" + suffix, toPath: withLog + suffix)
    }
    busy.close()
    _ = try Store.restore(from: withLog, directory: other, stamp: "6")
    let probe = try await Program.run(
      "/usr/bin/sqlite3", [other + "/baton.db", "SELECT value FROM settings WHERE key = 'probe'"])
    #expect(probe.lines == ["7 0"])
    let damaged = bench.folder.path + "/damaged.db"
    try copy.prefix(copy.count / 2).write(to: URL(fileURLWithPath: damaged))
    #expect(throws: StoreError.self) { try Store.restore(from: damaged, directory: other, stamp: "4") }
    try await bench.stop()
  }

  @Test func damageIsFound() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(1)
    _ = try await bench.create("sound")
    let sound = try await bench.client.daemon.check()
    #expect(sound.channels == 1 && sound.problems.isEmpty)
    #expect(
      try await Program.run(
        "/usr/bin/sqlite3",
        [
          "-cmd", ".timeout 60000", bench.folder.path + "/state/baton.db",
          "UPDATE channel_relays SET status = 'nonsense' WHERE channel_id = 1",
        ]
      ).status == 0)
    let broken = try await bench.client.daemon.check()
    #expect(broken.channels == 1 && broken.problems.count == 1 && broken.problems[0].contains("channel 1"))
    try await bench.stop()
  }

  /// The wall clock may have been set since the daemon started.
  @Test func allTimesComeFromTheDaemonsOwnClock() async throws {
    let clock = ManualClock()
    let bench = try await Bench(clock: clock)
    clock.advance(by: .seconds(90))
    let start = try #require(try await bench.client.daemon.metrics().first { $0.name == "process_start_time_seconds" }?.value)
    #expect(start * 1_000 == Double((clock.now + .seconds(-90)).milliseconds))
    let watcher = try LazyWatcher(bench.path)
    #expect(try await watcher.next()?.time == clock.now.text)
    try await bench.stop()
  }

  /// That is when someone looks: what storage need not say is there.
  @Test func figuresAreThereWithoutStorage() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(2)
    bench.store.close()
    let names = Set(try await bench.client.daemon.metrics().map(\.name))
    #expect(names.isSuperset(of: ["baton_build_info", "baton_store_writable", "baton_relays", "process_open_fds"]))
    #expect(names.isDisjoint(with: ["baton_channels", "baton_channel_relays", "baton_channels_quarantined"]))
    await #expect(throws: VarlinkError.self) { try await bench.client.channels.counts() }
    try? await bench.stop()
  }

  @Test func figuresAddUp() async throws {
    let bench = try await Bench()
    _ = try await bench.addRelays(2)
    _ = try await bench.create("one")
    let metrics = try await bench.client.daemon.metrics()
    func sum(_ name: String) -> Double { metrics.filter { $0.name == name }.map(\.value).reduce(0, +) }
    #expect(sum("baton_channels") == 1 && sum("baton_channel_relays") == 2 && sum("baton_relays") == 2)
    #expect(sum("baton_store_writable") == 1 && sum("baton_inbox_requests_limit") == 3 * 10_000)
    #expect(sum("process_resident_memory_bytes") > 1_000_000 && sum("process_cpu_seconds_total") > 0)
    #expect(sum("process_open_fds") > 3 && sum("process_max_fds") > sum("process_open_fds"))
    #expect(Set(metrics.map { "\($0.name) \($0.label ?? "")" }).count == metrics.count)
    // What happened was counted: a channel on two relays, each of which was asked to publish and to read back.
    func figure(_ name: String, _ label: String) -> Metric? { metrics.first { $0.name == name && $0.label == label } }
    #expect(figure("baton_channel_creations_total", "nostr active")?.value == 1)
    for reached in ["first", "all"] {
      let times = try #require(figure("baton_channel_time_to_active_seconds", "nostr \(reached)"))
      #expect(times.buckets?.last?.count == 1 && times.buckets?.last?.atMost == nil && times.labels.last?.value == reached)
    }
    #expect(figure("baton_channel_relay_transitions_total", "nostr active none")?.value == 2)
    for task in ["invite", "verify"] {
      #expect(figure("baton_relay_operations_total", "nostr \(task) done")?.value ?? 0 >= 2)
      #expect(figure("baton_relay_operation_duration_seconds", "nostr \(task)")?.buckets?.last?.count ?? 0 >= 2)
    }
    #expect(figure("baton_store_commit_duration_seconds", "ok")?.buckets?.last?.count ?? 0 > 1)
    #expect(figure("baton_control_calls_total", "org.batond.Relays ok")?.value == 2)
    await #expect(throws: VarlinkError.self) { try await bench.client.channels.get(id: 77) }
    let later = try await bench.client.daemon.metrics()
    #expect(later.first { $0.label == "org.batond.Channels refused" }?.value == 1)
    // What there may be is there from the start.
    #expect(later.first { $0.label == "org.batond.Posts error" }?.value == 0)
    #expect(later.first { $0.label == "nostr inactive unreachable" }?.value == 0)
    // Those of one name are together, in the order of the table, and all of them are in it.
    var names: [String] = []
    for metric in later where names.last != metric.name { names.append(metric.name) }
    let known = MetricFamily.all.map(\.name)
    #expect(names == known.filter(Set(names).contains) && Set(known).subtracting(names).allSatisfy { $0.contains("cluster") })
    // Only the daemons of a cluster are missing where there is none.
    let kinds = Dictionary(later.map { ($0.name, $0.kind) }) { $1 }
    #expect(MetricFamily.all.allSatisfy { kinds[$0.name] == nil || kinds[$0.name] == $0.kind.rawValue })
    // Disabled ones are no one's concern.
    let relay = try await bench.client.relays.get(id: 1)
    _ = try await bench.client.relays.update(UpdateRelay(id: 1, revision: relay.revision, enabled: false))
    let last = try await bench.client.daemon.metrics()
    #expect(last.filter { $0.name == "baton_relays" }.map(\.value).reduce(0, +) == 1)
    try await bench.stop()
  }
}

/// Errors as clients in Swift match them.
struct RefusalTests {
  @Test func errorsAreCasesWithWhatTheyCarry() async throws {
    let bench = try await Bench()
    func refusal(_ method: String, _ parameters: [String: JSONValue]) async throws -> VarlinkError? {
      do {
        _ = try await bench.client.call(method, parameters)
        return nil
      } catch let error as VarlinkError { return error }
    }
    let missing = try #require(try await refusal("org.batond.Channels.Get", ["id": 7]))
    #expect(ChannelsRefusal(missing) == .noSuchChannel(id: 7, name: nil))
    let relay = try await bench.client.relays.add(AddRelay(address: "ws://r1"))
    let stale = try #require(try await refusal("org.batond.Relays.Update", ["id": .integer(relay.id), "revision": 99]))
    #expect(RelaysRefusal(stale) == .staleRevision(current: relay))
    // Unknown members are refused wherever they are.
    let unknown = try #require(
      try await refusal("org.batond.Channels.Create", ["profile": ["displayName": "x", "bogus": 1]]))
    #expect(unknown == .invalidParameter("profile") && ChannelsRefusal(unknown) == .other(unknown))
    try await bench.stop()
  }
}
