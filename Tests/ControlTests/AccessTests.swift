import Accounts
import BatonClient
import Channels
import ControlAPI
import Coordinator
import Glibc
import Logging
import NIOPosix
import Store
import StrictJSON
import TestSupport
import Testing
import Varlink

@testable import ControlServer

/// Permissions of every method of every interface, for every kind of peer.
@Suite(.serialized)
struct AccessTests {
  private static let own: UInt32 = 4200
  private static let changers: UInt32 = 4201
  private static let readers: UInt32 = 4202
  private static let publishers: UInt32 = 4203
  private static let access = Access(ownUser: own, changeGroup: changers, readGroup: readers, publishGroup: publishers)

  /// A kind of peer with its rights.
  private struct Kind {
    let name: String
    let uid: UInt32
    let gid: UInt32
    let groups: Set<UInt32>
    let reads: Bool
    let changes: Bool
    var publishes = false
    var peer: VarlinkPeer { VarlinkPeer(pid: 1, uid: uid, gid: gid, groups: groups.union([gid])) }

    func may(_ method: String) -> Bool {
      (AccessTests.reading.contains(method) ? reads : changes) || publishes && AccessTests.publishing.contains(method)
    }
  }

  /// Methods that every peer with read access may call. They are listed by hand, as an independent check of the code: a new method
  /// must be added to one of these two lists.
  private static let reading: Set<String> = [
    "io.systemd.service.GetLogLevel", "io.systemd.service.Ping",
    "org.batond.Channels.Counts", "org.batond.Channels.Get", "org.batond.Channels.Link", "org.batond.Channels.List",
    "org.batond.Channels.Transitions", "org.batond.Daemon.Cluster", "org.batond.Daemon.Metrics",
    "org.batond.Daemon.Permissions",
    "org.batond.Daemon.Status",
    "org.batond.Identities.Get", "org.batond.Identities.List",
    "org.batond.Messages.Get", "org.batond.Messages.Inbox", "org.batond.Messages.List", "org.batond.Messages.Search",
    "org.batond.Messages.Watch",
    "org.batond.Members.List", "org.batond.Members.Watch",
    "org.batond.People.Get", "org.batond.People.List",
    "org.batond.Monitor.HealthChanges", "org.batond.Monitor.Transitions", "org.batond.Monitor.Watch",
    "org.batond.Operators.Get", "org.batond.Operators.List", "org.batond.Operators.Validate",
    "org.batond.Posts.Export", "org.batond.Posts.Get", "org.batond.Posts.List", "org.batond.Posts.Transitions",
    "org.batond.Posts.Watch",
    "org.batond.Posts.GetRetention",
    "org.batond.Relays.Counts", "org.batond.Relays.Figures", "org.batond.Relays.Get", "org.batond.Relays.List",
    "org.batond.Servers.Get", "org.batond.Servers.List",
  ]

  /// Methods that require write access. A copy of the database holds sealed secrets, and a check keeps the disk busy.
  private static let changing: Set<String> = [
    "io.systemd.service.Reload", "io.systemd.service.SetLogLevel",
    "org.batond.Channels.AddRelays", "org.batond.Channels.Create", "org.batond.Channels.Delete",
    "org.batond.Channels.Follow", "org.batond.Channels.SetFollowing", "org.batond.Channels.Unfollow",
    "org.batond.Channels.RemoveRelay", "org.batond.Channels.RetryRelay", "org.batond.Channels.Update",
    "org.batond.Channels.Verify", "org.batond.Channels.SetMuted", "org.batond.Channels.SetPinned",
    "org.batond.Channels.SetFrozen",
    "org.batond.Channels.SetHidden", "org.batond.Channels.Truncate",
    "org.batond.Daemon.Backup", "org.batond.Daemon.Check", "org.batond.Daemon.Drain", "org.batond.Daemon.Reload",
    "org.batond.Identities.Add", "org.batond.Identities.Remove",
    "org.batond.Messages.MarkRead", "org.batond.Messages.MarkUnread", "org.batond.Messages.Sync",
    "org.batond.Messages.SearchRelays",
    "org.batond.Messages.SetHidden", "org.batond.Messages.SetPinned", "org.batond.People.SetMuted",
    "org.batond.Members.Add", "org.batond.Members.Ban", "org.batond.Members.Decline", "org.batond.Members.Remove",
    "org.batond.Members.SetRole", "org.batond.Members.Unban",
    "org.batond.Operators.Add", "org.batond.Operators.Remove", "org.batond.Operators.Update",
    "org.batond.Posts.Adopt", "org.batond.Posts.AuthorizeUpload", "org.batond.Posts.Cancel", "org.batond.Posts.Delete",
    "org.batond.Posts.Edit",
    "org.batond.Posts.Publish", "org.batond.Posts.Release",
    "org.batond.Posts.Retry",
    "org.batond.Posts.Pin", "org.batond.Posts.React", "org.batond.Posts.Unpin",
    "org.batond.Posts.Remove", "org.batond.Posts.Report",
    "org.batond.Posts.SetRetention",
    "org.batond.Relays.Add", "org.batond.Relays.Remove", "org.batond.Relays.Test", "org.batond.Relays.Update",
    "org.batond.Servers.Add", "org.batond.Servers.Remove", "org.batond.Servers.Test", "org.batond.Servers.Update",
  ]

  /// Methods among both that publishers may call as well: they find a channel, publish, and follow what becomes of posts. A new method is
  /// refused to them unless it is added here.
  private static let publishing: Set<String> = [
    "io.systemd.service.Ping",
    "org.batond.Channels.Get", "org.batond.Channels.Link", "org.batond.Channels.List",
    "org.batond.Daemon.Permissions", "org.batond.Daemon.Status",
    "org.batond.Posts.Adopt", "org.batond.Posts.AuthorizeUpload", "org.batond.Posts.Cancel", "org.batond.Posts.Delete",
    "org.batond.Posts.Edit", "org.batond.Posts.Export", "org.batond.Posts.Get", "org.batond.Posts.GetRetention",
    "org.batond.Posts.List", "org.batond.Posts.Pin", "org.batond.Posts.Publish", "org.batond.Posts.Release",
    "org.batond.Posts.React",
    "org.batond.Posts.Retry", "org.batond.Posts.Transitions", "org.batond.Posts.Unpin", "org.batond.Posts.Watch",
    "org.batond.Relays.Get",
  ]

  private static let kinds = [
    Kind(name: "root", uid: 0, gid: 0, groups: [], reads: true, changes: true),
    Kind(name: "root in no group of ours", uid: 0, gid: 7, groups: [8], reads: true, changes: true),
    Kind(name: "the daemon's own user", uid: own, gid: 7, groups: [], reads: true, changes: true),
    Kind(name: "primary group baton", uid: 7, gid: changers, groups: [], reads: true, changes: true),
    Kind(name: "supplementary group baton", uid: 7, gid: 7, groups: [8, changers], reads: true, changes: true),
    Kind(name: "both groups", uid: 7, gid: readers, groups: [changers], reads: true, changes: true),
    Kind(name: "primary group baton-read", uid: 7, gid: readers, groups: [], reads: true, changes: false),
    Kind(name: "supplementary group baton-read", uid: 7, gid: 7, groups: [8, readers], reads: true, changes: false),
    Kind(
      name: "primary group of publishers", uid: 7, gid: publishers, groups: [], reads: false, changes: false, publishes: true),
    Kind(
      name: "supplementary group of publishers", uid: 7, gid: 7, groups: [8, publishers], reads: false, changes: false,
      publishes: true),
    Kind(
      name: "publishers and baton-read", uid: 7, gid: publishers, groups: [readers], reads: true, changes: false,
      publishes: true),
    Kind(
      name: "publishers and baton", uid: 7, gid: publishers, groups: [changers], reads: true, changes: true, publishes: true),
    Kind(name: "another user", uid: 7, gid: 7, groups: [8], reads: false, changes: false),
    Kind(name: "root's group without root", uid: 7, gid: 0, groups: [], reads: false, changes: false),
    // User ids and group ids are different things.
    Kind(name: "a user numbered like a group", uid: changers, gid: 7, groups: [own], reads: false, changes: false),
    Kind(name: "a user numbered like the publishers", uid: publishers, gid: 7, groups: [8], reads: false, changes: false),
  ]

  /// A call for every method that is refused for its parameters, or that changes nothing.
  private static let calls = Interfaces.all.flatMap { interface in
    interface.methods.map { method in
      let name = "\(interface.name).\(method.name)"
      return VarlinkCall(
        method: name, parameters: name.hasSuffix(".Watch") ? ["since": -1] : [:],
        mode: method.requiresMore ? .more : .single)
    }
  }

  private func context(_ bench: Bench) -> ControlContext {
    let threads = ControlThreads()
    let store = ControlStore(bench.store, on: threads)
    let messages = bench.messages.map { MessageReadingStore($0, on: threads) }
    return ControlContext(
      coordinator: bench.coordinator, store: store, posts: store, messages: messages,
      activities: ChannelActivities(store, messages),
      access: Self.access,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, version: "test", startedAt: SystemClock().now,
      reload: { ReloadReport(files: 0, operators: 0, servers: 0, relays: 0, options: [], needRestart: []) },
      declarationsTrouble: { nil },
      logLevel: LogLevelControl(), listLimits: ListLimits(), threads: threads)
  }

  /// The name of the error that the peer gets; nil if it gets none.
  private func error(_ interface: any VarlinkInterface, _ call: VarlinkCall, _ peer: VarlinkPeer) async throws -> String? {
    do {
      if try interface.answerAtOnce(call, from: peer) != nil { return nil }
      _ = try await interface.answer(call, from: peer, stream: VarlinkStream { _ in })
      return nil
    } catch let error as VarlinkError {
      return error.name
    }
  }

  private static func needs<Method: GuardedMethod>(_: Method.Type) -> [(name: String, permission: Access.Permission)] {
    Method.allCases.map { ($0.rawValue, $0.permission) }
  }

  @Test func everyMethodHasTheRightPermission() {
    let methods =
      Self.needs(OperatorsMethod.self) + Self.needs(ServersMethod.self) + Self.needs(RelaysMethod.self)
      + Self.needs(IdentitiesMethod.self) + Self.needs(ChannelsMethod.self) + Self.needs(PostsMethod.self)
      + Self.needs(MessagesMethod.self) + Self.needs(MembersMethod.self) + Self.needs(PeopleMethod.self)
      + Self.needs(MonitorMethod.self)
      + Self.needs(DaemonMethod.self)
      + Self.needs(ServiceMethod.self)
    #expect(methods.map(\.name).sorted() == Self.calls.map(\.method).sorted())
    func needing(_ permissions: Access.Permission...) -> Set<String> {
      Set(methods.filter { permissions.contains($0.permission) }.map(\.name))
    }
    #expect(needing(.read, .readPosts) == Self.reading)
    #expect(needing(.change, .publish) == Self.changing)
    #expect(needing(.readPosts, .publish) == Self.publishing)
    #expect(Self.reading.isDisjoint(with: Self.changing))
    #expect(Self.reading.union(Self.changing) == Set(Self.calls.map(\.method)))
  }

  @Test func everyMethodIsAllowedOrRefused() async throws {
    let bench = try await Bench()
    for kind in Self.kinds {
      var walked: [String] = []
      for interface in ControlServer.interfaces(context(bench)) {
        for call in Self.calls where call.interface == interface.definition.name {
          walked.append(call.method)
          let name = try await error(interface, call, kind.peer)
          let what = "\(call.method) by \(kind.name): \(name ?? "no error")"
          #expect((name != VarlinkError.permissionDenied.name) == kind.may(call.method), "\(what)")
          // Peers that may call the method find it implemented.
          if kind.may(call.method) { #expect(name != "org.varlink.service.MethodNotImplemented", "\(what)") }
        }
      }
      #expect(Set(walked) == Self.reading.union(Self.changing))
    }
    try await bench.stop()
  }

  /// They find channels, and get none of what others say there, neither in replies nor by asking for it in a condition or an order.
  @Test func publishersDoNotReadWhatOthersSay() async throws {
    let bench = try await Bench.reading(["a", "b"])
    try await bench.hear([Bench.said("m1", "A secret", at: 1, isMention: true)], in: 2, at: 1)
    try await bench.coordinator.hideMessages(of: ChannelID(rawValue: 2), true)
    let context = context(bench)
    let channels = ControlInterface(Interfaces.channels, context, ChannelsInterface(context: context))
    func ask(_ method: ChannelsMethod, _ parameters: [String: JSONValue], as name: String) async throws -> any JSONWritable {
      let kind = try #require(Self.kinds.first { $0.name == name })
      return try await Caller.$peer.withValue(kind.peer) {
        try await channels.perform(
          method, VarlinkCall(method: method.rawValue, parameters: parameters), kind.uid, 1, VarlinkStream { _ in })
      }
    }
    func list(_ parameters: [String: JSONValue], as name: String) async throws -> [Channel] {
      try #require(try await ask(.list, parameters, as: name) as? ChannelsListReply).channels
    }
    let conditions: [String: JSONValue] = [
      "lastMessage": "A secret", "lastMessageAt": ["$gt": "2000-01-01"], "unread": 1, "unreadMentions": 1,
      "memberCount": ["$gt": 0], "hidden": true,
    ]
    for name in ["root", "supplementary group baton-read", "publishers and baton-read"] {
      let found = try await list(["filter": ["hidden": true]], as: name)
      #expect(found.map(\.lastMessage) == ["A secret"] && found.map(\.unread) == [1], "\(name)")
      for (field, condition) in conditions { _ = try await list(["filter": [field: condition]], as: name) }
    }
    let publisher = "supplementary group of publishers"
    let got = try #require(try await ask(.get, ["id": 2], as: publisher) as? ChannelReply).channel
    #expect(try await list([:], as: publisher).last == got)
    let whole = try #require(try await ask(.get, ["id": 2], as: "root") as? ChannelReply).channel
    #expect(whole.hidden && whole.lastMessageAt != nil && whole.unreadMentions == 1)
    var bare = whole
    (bare.lastMessageAt, bare.lastMessage, bare.unread, bare.unreadMentions, bare.hidden) = (nil, nil, 0, 0, false)
    #expect(got == bare)
    for (field, condition) in conditions {
      let requests: [[String: JSONValue]] = [
        ["filter": [field: condition]], ["filter": ["$or": [["id": 1], [field: condition]]]],
        ["sort": [["field": .string(field), "direction": -1]]],
      ]
      for request in requests {
        let refusal = await #expect(throws: ChannelsRefusal.self, "\(field)") { try await list(request, as: publisher) }
        #expect(refusal?.error.name == "org.batond.Channels.InvalidFilter", "\(field)")
      }
    }
    try await bench.stop()
  }

  /// A method that is defined but that the service does not have cannot be called, not even by root.
  @Test func methodThatTheServiceDoesNotHaveCannotBeCalled() async throws {
    let bench = try await Bench()
    let context = context(bench)
    let interface = ControlInterface(
      try IDL.parse("interface org.batond.Relays\nmethod Forgotten() -> ()\n"), context, RelaysInterface(context: context))
    for kind in Self.kinds {
      let name = try await error(interface, VarlinkCall(method: "org.batond.Relays.Forgotten"), kind.peer)
      #expect(name == "org.varlink.service.MethodNotImplemented", "\(kind.name)")
    }
    try await bench.stop()
  }

  @Test func standingFollowsFromRights() {
    for kind in Self.kinds {
      let standing = Self.access.standing(of: kind.peer)
      let isOwner = kind.uid == 0 || kind.uid == Self.own
      #expect(standing == (isOwner ? .owner : kind.reads || kind.publishes ? .member : .stranger), "\(kind.name)")
    }
  }

  /// Strangers may use any number of user ids: together they get few connections, and root and members still get in.
  @Test(.enabled(if: geteuid() == 0, "only root can become other users"))
  func crowdOfStrangersLocksNobodyOut() async throws {
    let bench = try await Bench(access: Self.access, mode: 0o666)
    let crowd = try Program(
      "/usr/bin/python3", [Program.repository + "/Tests/ControlTests/python/crowd.py", bench.path, "700"])
    #expect(try await crowd.line(containing: "kept") == "kept 64")
    let root = try await BatonClient(socket: bench.path)
    _ = try await root.daemon.status()
    await root.close()
    let member = try await Program.run(
      "/usr/bin/python3",
      [
        Program.repository + "/Tests/ControlTests/python/peer.py", bench.path, "7", "\(Self.readers)", "",
        #"{"method":"org.batond.Daemon.Status"}"#,
      ])
    #expect(member.status == 0 && member.lines.first?.contains("startedAt") == true, "\(member.lines)")
    crowd.signal(SIGKILL)
    _ = await crowd.status()
    try await bench.stop()
  }

  /// Rights are those of the process at the moment it connects. They last as long as the connection.
  @Test(.enabled(if: geteuid() == 0, "only root can become other users"))
  func rightsAreThoseFromWhenTheConnectionWasOpened() async throws {
    let bench = try await Bench(access: Self.access, mode: 0o666)
    let rights = [
      (Self.readers, "org.batond.Daemon.Status"), (Self.changers, "org.batond.Daemon.Check"),
      (Self.publishers, "org.batond.Posts.Publish"),
    ]
    for (group, method) in rights {
      let peer = try await Program.run(
        "/usr/bin/python3",
        [
          Program.repository + "/Tests/ControlTests/python/membership.py", bench.path, "7", "\(group)",
          #"{"method":"\#(method)"}"#,
        ])
      #expect(peer.status == 0, "\(peer.lines)")
      let answered = peer.lines.filter { !$0.contains(VarlinkError.permissionDenied.name) }
      let words = answered.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
      // A connection keeps the rights that the process had when it connected.
      #expect(peer.lines.count == 6 && words == ["inside inside", "inside afterwards"], "\(method): \(peer.lines)")
    }
    try await bench.stop()
  }

  @Test func groupsThatDoNotExistLetNobodyIn() {
    for name in ["", "no-such-group-of-baton", "root-", "0"] { #expect(Accounts.group(named: name) == nil, "'\(name)'") }
    #expect(Accounts.group(named: "root") == 0)
    let access = Access(changeGroup: "no-such-group-of-baton", readGroup: "nor-this-one", publishGroup: "nor-that-one")
    let stranger = VarlinkPeer(pid: 1, uid: geteuid() + 1, gid: 0, groups: [0, .max])
    for access in [access, Access(changeGroup: "", readGroup: "")] {
      #expect(
        !Access.Permission.allCases.contains { access.allows(stranger, $0) } && access.standing(of: stranger) == .stranger)
    }
    #expect(access.allows(VarlinkPeer(pid: 1, uid: geteuid(), gid: 7, groups: [7]), .change))
  }

  /// The same walk with real processes, whose identity the kernel tells the daemon.
  @Test(.enabled(if: geteuid() == 0, "only root can become other users"))
  func everyMethodIsAllowedOrRefusedForRealProcesses() async throws {
    let bench = try await Bench(access: Self.access, mode: 0o666)
    let calls = Self.calls.map { String(decoding: $0.message.dropLast(), as: UTF8.self) }
    for kind in Self.kinds {
      let peer = try await Program.run(
        "/usr/bin/python3",
        [
          Program.repository + "/Tests/ControlTests/python/peer.py", bench.path, "\(kind.uid)", "\(kind.gid)",
          kind.groups.map(String.init).joined(separator: ","), #"{"method":"org.varlink.service.GetInfo"}"#,
        ] + calls)
      #expect(peer.status == 0 && peer.lines.count == calls.count + 1, "\(kind.name): \(peer.lines)")
      #expect(peer.lines.first?.contains(#""product": "batond""#) == true, "who we are is no secret")
      for (method, reply) in zip(Self.calls.map(\.method), peer.lines.dropFirst()) {
        let isRefused = reply.contains(VarlinkError.permissionDenied.name)
        #expect(isRefused != kind.may(method), "\(method) by \(kind.name): \(reply)")
      }
    }
    try await bench.stop()
  }
}
