import Foundation
import Glibc
import NIOCore
import NIOPosix
import StrictJSON
import Synchronization
import TestTools
import Testing

@testable import Varlink

/// A service that replies with a lot of data, or only when it is allowed to.
private struct Slow: VarlinkInterface {
  /// More than the socket buffers hold.
  static let text = String(repeating: "x", count: 500_000)
  let definition: IDL.Interface
  private let mayAnswer: AsyncStream<Void>

  /// - Parameter mayAnswer: `Wait` returns when it ends.
  init(_ mayAnswer: AsyncStream<Void> = AsyncStream<Void> { $0.finish() }) throws {
    self.mayAnswer = mayAnswer
    definition = try IDL.parse(
      "interface org.example.slow\n# Much.\nmethod Tell() -> (text: string)\n# Waits.\nmethod Wait() -> ()\n")
  }

  func answerAtOnce(_ call: VarlinkCall, from peer: VarlinkPeer) throws -> EncodedParameters? {
    call.name == "Tell" ? ["text": .string(Self.text)] : nil
  }

  func answer(_ call: VarlinkCall, from peer: VarlinkPeer, stream: VarlinkStream) async throws -> EncodedParameters {
    for await _ in mayAnswer {}
    return [:]
  }
}

/// Limits on what a client may use of a server.
@Suite(.timeLimit(.minutes(10)))
struct LimitsTests {
  private func start(
    _ folder: TemporaryFolder, _ limits: VarlinkServer.Limits, _ interfaces: [any VarlinkInterface] = [],
    group: MultiThreadedEventLoopGroup = .singleton, notice: @escaping @Sendable (VarlinkServer.Notice) -> Void = { _ in },
    standing: @escaping @Sendable (VarlinkPeer) -> VarlinkServer.Standing = { _ in .member }
  ) async throws -> VarlinkServer {
    let service = VarlinkService(
      .init(vendor: "v", product: "p", version: "1", url: "https://example.org"), interfaces: interfaces)
    return try await VarlinkServer.start(
      service, sockets: [try UnixListener.listen(path: folder.path + "/s", mode: 0o600)], group: group, limits: limits,
      standing: standing, notice: notice)
  }

  private static let getInfo = Array("{\"method\":\"org.varlink.service.GetInfo\"}\0".utf8)

  @Test(arguments: ["", "{\"method\":", "{\"method\":\"org.varlink.service.GetInfo\"}\0{\"meth"])
  func clientThatCallsNothingIsDisconnected(_ start: String) async throws {
    let isSentAway = try await withGrowingPatience { patience in
      let folder = try TemporaryFolder()
      var limits = VarlinkServer.Limits()
      limits.messageTimeout = patience
      let server = try await self.start(folder, limits)
      let client = try RawSocket(path: folder.path + "/s")
      client.send(Array(start.utf8))
      // Everything that arrives until the server closes the connection.
      let replies = await client.receive(replies: nil)
      await server.stop()
      return replies.count == (start.contains("\0") ? 1 : 0)
    }
    #expect(isSentAway)
  }

  /// More replies than the socket buffers hold.
  @Test func clientThatReadsNoRepliesIsDisconnected() async throws {
    let folder = try TemporaryFolder()
    var limits = VarlinkServer.Limits()
    limits.replyTimeout = .milliseconds(200)
    let (notices, notice) = AsyncStream.makeStream(of: VarlinkServer.Notice.self)
    let server = try await start(folder, limits) { notice.yield($0) }
    let deaf = try RawSocket(path: folder.path + "/s")
    deaf.send(Array(String(repeating: "{\"method\":\"org.varlink.service.GetInfo\"}\0", count: 5000).utf8))
    for await case .protocolBroken(_, let reason) in notices {
      #expect(reason == "a reply was not taken in time")
      break
    }
    #expect(await deaf.receive(replies: nil).count < 5000)
    await server.stop()
  }

  @Test func clientThatHasCalledMayBeSilentAndCallAgain() async throws {
    let isServed = try await withGrowingPatience { patience in
      let folder = try TemporaryFolder()
      var limits = VarlinkServer.Limits()
      limits.messageTimeout = patience
      let server = try await start(folder, limits)
      let client = try RawSocket(path: folder.path + "/s")
      client.send(Self.getInfo)
      let first = await client.receive(replies: 1)
      // Another client stays silent until the server disconnects it. By then the first one's time would be up too, if it were limited.
      let silent = try RawSocket(path: folder.path + "/s")
      let unasked = await silent.receive(replies: nil)
      client.send(Self.getInfo)
      let second = await client.receive(replies: 1)
      await server.stop()
      return first.count == 1 && unasked.isEmpty && second == first
    }
    #expect(isServed)
  }

  /// A client that keeps calling while a call is under way fills the socket buffers, not the server's memory.
  @Test func whatCannotBeServedYetIsNotRead() async throws {
    let folder = try TemporaryFolder()
    var limits = VarlinkServer.Limits()
    limits.messageBytesMax = 10_000
    let (wait, mayAnswer) = AsyncStream.makeStream(of: Void.self)
    // One thread serves all connections: when another client gets an answer, this one's bytes have been looked at.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let server = try await start(folder, limits, [try Slow(wait)], group: group)
    let (eager, other) = (try RawSocket(path: folder.path + "/s"), try RawSocket(path: folder.path + "/s"))
    eager.send(Array("{\"method\":\"org.example.slow.Wait\"}\0".utf8))
    var calls: [UInt8] = []
    for _ in 0..<200_000 { calls += Self.getInfo }
    var (sent, fruitless) = (0, 0)
    while fruitless < 100, sent < calls.count {
      let count = eager.sendWhatFits(calls[sent...])
      sent += count
      fruitless = count == 0 ? fruitless + 1 : 0
      other.send(Self.getInfo)
      #expect(await other.receive(replies: 1).count == 1)
    }
    #expect(sent < calls.count / 2, "the server took \(sent) bytes")
    // Afterwards reading continues, and nothing is lost.
    mayAnswer.finish()
    eager.halfClose()
    #expect(await eager.receive(replies: nil).count == 1 + sent / Self.getInfo.count)
    await server.stop()
    try await group.shutdownGracefully()
  }

  /// A reply that is read late but in time keeps the connection open.
  @Test func clientThatReadsAReplyLateMayCallAgain() async throws {
    #expect(try await withGrowingPatience { try await staysWhoTakesAReplyLate($0) })
  }

  /// - Parameter patience: how long a reply may wait.
  /// - Returns: whether it worked; also false if `patience` was too short for the late client.
  private func staysWhoTakesAReplyLate(_ patience: Duration) async throws -> Bool {
    let folder = try TemporaryFolder()
    var limits = VarlinkServer.Limits()
    limits.replyTimeout = patience
    let (notices, notice) = AsyncStream.makeStream(of: VarlinkServer.Notice.self)
    // One thread serves all connections, so their timers fire in the order in which they were set.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let server = try await start(folder, limits, [try Slow()], group: group) { notice.yield($0) }
    let (late, other) = (try RawSocket(path: folder.path + "/s"), try RawSocket(path: folder.path + "/s"))
    let call = Array("{\"method\":\"org.example.slow.Tell\"}\0".utf8)
    late.send(call)
    // When another client has two answers, the server has tried to write everything, and could not.
    for _ in 1...2 {
      other.send(Self.getInfo)
      #expect(await other.receive(replies: 1).count == 1)
    }
    let isWhole = await late.receive(replies: 1).first?.utf8.count ?? 0 > Slow.text.utf8.count
    // Longer than a reply may wait: a client that never reads one is disconnected.
    let deaf = try RawSocket(path: folder.path + "/s")
    deaf.send(call)
    for await case .protocolBroken(_, let reason) in notices {
      #expect(reason == "a reply was not taken in time")
      break
    }
    late.send(Self.getInfo)
    let isServed = await late.receive(replies: 1).first?.contains("vendor") == true
    _ = deaf
    await server.stop()
    try await group.shutdownGracefully()
    return isWhole && isServed
  }

  // MARK: - Admission

  /// Connects as a given user and returns whether the server keeps the connection.
  private func enters(_ folder: TemporaryFolder, _ open: inout [RawSocket]) async throws -> Bool {
    let socket = try RawSocket(path: folder.path + "/s")
    socket.send(Self.getInfo)
    guard await socket.receive(replies: 1).first?.contains("vendor") == true else { return false }
    open.append(socket)
    return true
  }

  @Test func strangersGetFewConnectionsInAllAndNobodyIsLockedOut() async throws {
    let folder = try TemporaryFolder()
    var limits = VarlinkServer.Limits()
    limits.connectionsMax = 16
    limits.connectionsReserved = 4
    limits.strangersMax = 3
    limits.strangerTimeout = .seconds(600)
    let standing = Mutex(VarlinkServer.Standing.stranger)
    let (notices, notice) = AsyncStream.makeStream(of: VarlinkServer.Notice.self)
    let server = try await start(
      folder, limits, notice: { notice.yield($0) }, standing: { _ in standing.withLock { $0 } })
    var (strangers, members, owners): ([RawSocket], [RawSocket], [RawSocket]) = ([], [], [])
    var refusals = notices.makeAsyncIterator()
    func refusal() async -> ConnectionLimit? {
      guard case .tooManyConnections(_, let limit)? = await refusals.next(isolation: #isolation) else { return nil }
      return limit
    }
    while try await enters(folder, &strangers) {}
    #expect(await refusal() == .strangers(max: 3) && strangers.count == 3)
    // Members get the rest, except the reserved places.
    standing.withLock { $0 = .member }
    while try await enters(folder, &members) {}
    #expect(await refusal() == .all(max: 12) && members.count == 9)
    standing.withLock { $0 = .owner }
    while try await enters(folder, &owners) {}
    #expect(await refusal() == .all(max: 16) && owners.count == 4)
    // A client that leaves makes room for one of the same kind.
    strangers.removeFirst().close()
    standing.withLock { $0 = .stranger }
    while server.connectionCount > 15 { await Task.yield() }
    #expect(try await !enters(folder, &strangers), "all are taken that are not reserved")
    await server.stop()
  }

  /// Files, lookups and libraries need descriptors too, and some end the program when they get none.
  @Test func connectionsLeaveTheLastDescriptorsAlone() async throws {
    let folder = try TemporaryFolder()
    var limits = VarlinkServer.Limits()
    // None is low enough for a member, and all are for an owner.
    limits.descriptorsReserved = Int(sysconf(CInt(_SC_OPEN_MAX)))
    let standing = Mutex(VarlinkServer.Standing.member)
    let (notices, notice) = AsyncStream.makeStream(of: VarlinkServer.Notice.self)
    let server = try await start(
      folder, limits, notice: { notice.yield($0) }, standing: { _ in standing.withLock { $0 } })
    var open: [RawSocket] = []
    #expect(try await !enters(folder, &open))
    for await case .tooManyConnections(_, let limit) in notices {
      #expect(limit == .descriptors(max: 0))
      break
    }
    standing.withLock { $0 = .owner }
    #expect(try await enters(folder, &open))
    await server.stop()
  }

  /// Clients wait until there are descriptors again; the server does not try for them all the time.
  @Test func serverThatRunsOutOfDescriptorsAcceptsMoreLater() async throws {
    let folder = try TemporaryFolder()
    var limits = VarlinkServer.Limits()
    // None is low enough for anyone.
    limits.descriptorsReserved = 2 * Int(sysconf(CInt(_SC_OPEN_MAX)))
    let reasons = Mutex<[String]>([])
    let server = try await start(
      folder, limits,
      notice: { notice in
        if case .cannotAccept(let reason) = notice { reasons.withLock { $0.append(reason) } }
      }, standing: { _ in .owner })
    var open: [RawSocket] = []
    for _ in 1...3 { #expect(try await !enters(folder, &open), "it is sent away, and does not wait for ever") }
    await server.stop()
    #expect(reasons.withLock { $0 } == ["the limit on open files and connections is reached"], "said once a minute")
  }

  @Test(arguments: [(VarlinkServer.Standing.stranger, 2), (.member, 5)])
  func oneStrangerGetsFewerConnectionsThanOneMember(_ standing: VarlinkServer.Standing, _ most: Int) async throws {
    let folder = try TemporaryFolder()
    var limits = VarlinkServer.Limits()
    (limits.connectionsPerStrangerMax, limits.connectionsPerUserMax) = (2, 5)
    limits.strangerTimeout = .seconds(600)
    let server = try await start(folder, limits, standing: { _ in standing })
    var open: [RawSocket] = []
    while open.count < 8, try await enters(folder, &open) {}
    #expect(open.count == most)
    await server.stop()
  }

  @Test(arguments: ["", "{\"method\":"]) func silentStrangerIsDisconnected(_ more: String) async throws {
    let isSentAway = try await withGrowingPatience { patience in
      let folder = try TemporaryFolder()
      var limits = VarlinkServer.Limits()
      limits.strangerTimeout = patience
      let server = try await start(folder, limits, standing: { _ in .stranger })
      let idle = try RawSocket(path: folder.path + "/s")
      idle.send(Self.getInfo + Array(more.utf8))
      let replies = await idle.receive(replies: nil)
      await server.stop()
      return replies.count == 1
    }
    #expect(isSentAway, "answered, and closed")
  }

  @Test(arguments: [(VarlinkServer.Standing.stranger, 0), (.member, 1)])
  func strangersMessagesAreSmaller(_ standing: VarlinkServer.Standing, _ answers: Int) async throws {
    let folder = try TemporaryFolder()
    var limits = VarlinkServer.Limits()
    limits.strangerMessageBytesMax = 1000
    let server = try await start(folder, limits, standing: { _ in standing })
    let socket = try RawSocket(path: folder.path + "/s")
    socket.send(Array("{\"method\":\"org.varlink.service.GetInfo\"\(String(repeating: " ", count: 2000))}\0".utf8))
    socket.halfClose()
    #expect(await socket.receive(replies: nil).count == answers)
    await server.stop()
  }

  /// Clients that all come at once, as after a restart, wait and are not turned away.
  @Test func asManyConnectionsWaitAsTheKernelAllows() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/s"
    let listener = try UnixListener.listen(path: path, mode: 0o600)
    defer { close(listener) }
    let allowed = try String(contentsOfFile: "/proc/sys/net/core/somaxconn", encoding: .utf8)
    // Other tests need descriptors too.
    let most = min(
      Int(allowed.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 128, Int(sysconf(CInt(_SC_OPEN_MAX))) / 2, 600)
    var waiting: [CInt] = []
    defer { for socket in waiting { close(socket) } }
    while waiting.count < most {
      let client = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
      guard client >= 0 else { break }
      waiting.append(client)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      if result != 0 {
        #expect(errno == EAGAIN)
        break
      }
    }
    #expect(waiting.count == most, "only \(waiting.count) of \(most)")
  }
}
