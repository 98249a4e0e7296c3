import Foundation
import NIOCore
import NIOPosix
import StrictJSON
import Synchronization
import TestTools
import Testing

@testable import Varlink

/// A small service to talk to.
private struct Echo: VarlinkInterface {
  let definition: IDL.Interface
  let onCancel: @Sendable () -> Void
  let onSend: @Sendable () -> Void
  let hold: @Sendable () async -> Void

  init(
    onCancel: @escaping @Sendable () -> Void, onSend: @escaping @Sendable () -> Void,
    hold: @escaping @Sendable () async -> Void
  ) throws {
    self.onCancel = onCancel
    self.onSend = onSend
    self.hold = hold
    definition = try IDL.parse(
      """
      interface org.example.echo
      # Says it back.
      method Say(text: string) -> (text: string)
      # [Requires 'more' flag]
      # Counts.
      method Count(to: int) -> (number: int)
      # [Requires 'more' flag]
      # Never ends.
      method Wait() -> ()
      # Ends when the test says so.
      method Hold() -> (text: string)
      method Fail() -> ()
      # Ends in a way that no one has thought of.
      method Break() -> ()
      error Refused (reason: string)

      """)
  }

  func answer(_ call: VarlinkCall, from peer: VarlinkPeer, stream: VarlinkStream) async throws -> EncodedParameters {
    switch call.name {
    case "Say":
      guard let text = call.parameters["text"]?.string else { throw VarlinkError.invalidParameter("text") }
      return ["text": .string(text)]
    case "Count":
      let end = call.parameters["to"]?.integer ?? 0
      for number in 1..<max(end, 1) {
        try await stream.send(["number": .integer(number)])
        onSend()
      }
      return ["number": .integer(end)]
    case "Wait":
      let (forever, keepAlive) = AsyncStream.makeStream(of: Never.self)
      for await _ in forever {}
      _ = keepAlive
      onCancel()
      throw CancellationError()
    case "Hold":
      await hold()
      return ["text": "held"]
    case "Break": throw POSIXError(.EIO)
    default: throw VarlinkError("org.example.echo.Refused", ["reason": "because"])
    }
  }
}

struct ServerTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/s" }

  init() throws { folder = try TemporaryFolder() }

  /// Time limits are tested elsewhere. Here everyone has as much time as a busy machine needs.
  private static let patient: VarlinkServer.Limits = {
    var limits = VarlinkServer.Limits()
    (limits.messageTimeout, limits.replyTimeout, limits.strangerTimeout) = (.seconds(600), .seconds(600), .seconds(600))
    return limits
  }()

  private func start(
    limits: VarlinkServer.Limits = Self.patient, onCancel: @escaping @Sendable () -> Void = {},
    onSend: @escaping @Sendable () -> Void = {}, hold: @escaping @Sendable () async -> Void = {},
    group: MultiThreadedEventLoopGroup = .singleton,
    farewell: @escaping @Sendable (ConnectionLimit) -> VarlinkError? = { _ in nil }
  ) async throws -> VarlinkServer {
    let service = VarlinkService(
      .init(vendor: "v", product: "p", version: "1", url: "https://example.org"),
      interfaces: [try Echo(onCancel: onCancel, onSend: onSend, hold: hold)])
    return try await VarlinkServer.start(
      service, sockets: [try UnixListener.listen(path: path, mode: 0o600)], group: group, limits: limits, farewell: farewell
    ) { _ in }
  }

  /// Runs work on a thread of its own, so that it neither delays others nor waits for them.
  private func withOwnThread(_ body: (MultiThreadedEventLoopGroup) async throws -> Void) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    try await body(group)
    try await group.shutdownGracefully()
  }

  /// Sends raw bytes and returns everything that comes back until the server closes or `replies` messages have arrived.
  private func raw(_ pieces: [String], replies: Int? = nil, halfClose: Bool = false) async throws -> [String] {
    let client = try RawSocket(path: path)
    for piece in pieces { client.send(Array(piece.utf8)) }
    if halfClose { client.halfClose() }
    return await client.receive(replies: replies)
  }

  @Test func infoAndDescriptionAreServed() async throws {
    let server = try await start()
    let client = try await VarlinkClient.connect(path: path)
    let info = try await client.call("org.varlink.service.GetInfo")
    #expect(info["interfaces"] == ["org.example.echo", "org.varlink.service"])
    for name in ["org.example.echo", "org.varlink.service"] {
      let reply = try await client.call("org.varlink.service.GetInterfaceDescription", ["interface": .string(name)])
      #expect(try IDL.parse(try #require(reply["description"]?.string)).name == name)
    }
    await client.close()
    await server.stop()
  }

  @Test func faultsAreNotTakenForMethodsThatAreMissing() async throws {
    let server = try await start()
    #expect(try await raw([#"{"method":"org.example.echo.Break"}"# + "\0"], replies: 1).isEmpty, "the connection ends")
    await server.stop()
  }

  /// The table of docs/design/varlink.md#answers-to-odd-calls.
  @Test func oddCallsAreAnsweredAsOthersDo() async throws {
    let server = try await start()
    func error(_ call: String) async throws -> String? { try await raw([call + "\0"], replies: 1).first }
    #expect(try await error(#"{"method":"org.varlink.service.GetInfo","parameters":null}"#)?.contains("vendor") == true)
    #expect(
      try await error(#"{"method":"org.example.echo.Say","parameters":{"text":"x","y":1}}"#)
        == #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"y"}}"#)
    #expect(
      try await error(#"{"method":"org.example.echo.Say","parameters":{"text":1}}"#)
        == #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"text"}}"#)
    #expect(
      try await error(#"{"method":"org.example.echo.Nope"}"#)
        == #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"org.example.echo.Nope"}}"#)
    #expect(
      try await error(#"{"method":"org.example.nope.X"}"#)
        == #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"org.example.nope"}}"#)
    #expect(try await error(#"{"method":"foo"}"#)?.contains("MethodNotFound") == true)
    #expect(try await error(#"{"method":"org.example.echo.Count","parameters":{"to":1}}"#)?.contains("ExpectedMore") == true)
    #expect(
      try await error(#" {"method":"org.example.echo.Say","parameters":{"text":"/"},"more":false,"x.y":1} "#)
        == #"{"parameters":{"text":"/"}}"#)
    await server.stop()
  }

  @Test(arguments: [
    "", "{", "[]", "1", #"{"method":1}"#, #"{"parameters":{}}"#, #"{"method":"a.B","parameters":[]}"#,
    #"{"method":"a.B","method":"a.C"}"#, #"{"method":"a.B","oneway":true,"more":true}"#, #"{"method":"a.B","unknown":1}"#,
    #"{"method":"a.B","more":1}"#, "\u{FEFF}{}",
  ])
  func brokenMessagesEndTheConnection(_ message: String) async throws {
    let server = try await start()
    #expect(try await raw([message + "\0"]).isEmpty)
    let client = try await VarlinkClient.connect(path: path)
    #expect(try await client.call("org.example.echo.Say", ["text": "still here"])["text"] == "still here")
    await client.close()
    await server.stop()
  }

  @Test func messageThatIsTooLongEndsTheConnection() async throws {
    var limits = Self.patient
    limits.messageBytesMax = 1000
    let server = try await start(limits: limits)
    #expect(
      try await raw([#"{"method":"org.example.echo.Say","parameters":{"text":""# + String(repeating: "x", count: 5000)]).isEmpty
    )
    await server.stop()
  }

  @Test func pipelinedCallsAreAnsweredInOrder() async throws {
    let server = try await start()
    let calls = (1...50).map { #"{"method":"org.example.echo.Say","parameters":{"text":"\#($0)"}}"# + "\0" }
    let replies = try await raw([calls.joined()], replies: 50)
    #expect(replies == (1...50).map { #"{"parameters":{"text":"\#($0)"}}"# })
    await server.stop()
  }

  @Test func veryManyQueuedCallsAreServedInOrder() async throws {
    var limits = Self.patient
    limits.messageBytesMax = 16 << 20
    try await withOwnThread { group in
      let server = try await start(limits: limits, group: group)
      let calls = String(repeating: #"{"method":"org.varlink.service.GetInfo"}"# + "\0", count: 20_000)
      let replies = try await raw([calls], replies: 20_000)
      #expect(replies.count == 20_000 && Set(replies).count == 1)
      await server.stop()
    }
  }

  @Test func singleBytesAndHalfCloseAreFine() async throws {
    let server = try await start()
    let call = #"{"method":"org.example.echo.Say","parameters":{"text":"slow"}}"# + "\0"
    #expect(try await raw(call.map(String.init), halfClose: true) == [#"{"parameters":{"text":"slow"}}"#])
    await server.stop()
  }

  @Test func largeReplyReachesAHalfClosedClientWhole() async throws {
    let server = try await start()
    let text = String(repeating: "x", count: 900_000)
    let call = #"{"method":"org.example.echo.Say","parameters":{"text":"\#(text)"}}"# + "\0"
    let replies = try await raw([call], halfClose: true)
    #expect(replies.first?.utf8.count == text.utf8.count + #"{"parameters":{"text":""}}"#.utf8.count)
    await server.stop()
  }

  @Test func onewayCallsGetNoReply() async throws {
    let server = try await start()
    let replies = try await raw(
      [
        #"{"method":"org.example.echo.Fail","oneway":true}"# + "\0"
          + #"{"method":"org.example.echo.Say","parameters":{"text":"a"}}"# + "\0"
      ], replies: 1)
    #expect(replies == [#"{"parameters":{"text":"a"}}"#])
    await server.stop()
  }

  @Test func streamsSayThatMoreFollows() async throws {
    let server = try await start()
    let client = try await VarlinkClient.connect(path: path)
    var replies: [VarlinkReply] = []
    for try await reply in client.callMore("org.example.echo.Count", ["to": 3]) { replies.append(reply) }
    #expect(replies.map(\.continues) == [true, true, false])
    #expect(replies.map { $0.parameters["number"] } == [1, 2, 3])
    await #expect(throws: VarlinkError("org.example.echo.Refused", ["reason": "because"])) {
      try await client.call("org.example.echo.Fail")
    }
    #expect(try await client.call("org.example.echo.Say", ["text": "x"])["text"] == "x")
    await client.close()
    await server.stop()
  }

  /// A client that was admitted and has sent its call gets an answer, however soon the server stops.
  @Test func stopAnswersWhatHasArrived() async throws {
    try await withOwnThread { group in
      for _ in 0..<50 {
        let server = try await start(group: group)
        let client = try RawSocket(path: path)
        while server.connectionCount == 0 { await Task.yield() }
        client.send(Array((#"{"method":"org.example.echo.Say","parameters":{"text":"a"}}"# + "\0").utf8))
        async let stopped: Void = server.stop(grace: .seconds(120))
        #expect(await client.receive(replies: nil) == [#"{"parameters":{"text":"a"}}"#])
        await stopped
        unlink(path)
      }
    }
  }

  @Test func callUnderWayGetsItsReplyWhenTheServerStops() async throws {
    try await withOwnThread { group in
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let (released, release) = AsyncStream.makeStream(of: Void.self)
      let server = try await start(
        hold: {
          begin.finish()
          for await _ in released {}
        }, group: group)
      let (busy, idle) = (try RawSocket(path: path), try RawSocket(path: path))
      idle.send(Array((#"{"method":"org.example.echo.Say","parameters":{"text":"a"}}"# + "\0").utf8))
      #expect(await idle.receive(replies: 1).count == 1)
      busy.send(Array((#"{"method":"org.example.echo.Hold"}"# + "\0").utf8))
      for await _ in begun {}
      async let stopped: Void = server.stop(grace: .seconds(120))
      // It has no call under way, so its connection closes as soon as the server stops.
      #expect(await idle.receive(replies: nil).isEmpty)
      release.finish()
      #expect(await busy.receive(replies: nil) == [#"{"parameters":{"text":"held"}}"#])
      await stopped
    }
  }

  /// A client that does not read replies slows the server down, and only a few replies are buffered.
  @Test func whatIsNotReadIsNotSent() async throws {
    try await withOwnThread { group in
      let sent = Mutex(0)
      let server = try await start(onSend: { sent.withLock { $0 += 1 } }, group: group)
      let client = try await VarlinkClient.connect(path: path, group: group)
      let total = 20_000
      let replies = client.callMore("org.example.echo.Count", ["to": .integer(Int64(total))])
      // It stops well before the end.
      var (before, still) = (0, 0)
      while still < 2000 {
        await Task.yield()
        let now = sent.withLock { $0 }
        still = now == before && now > 0 ? still + 1 : 0
        before = now
      }
      #expect(before < total / 2)
      var next: Int64 = 1
      for try await reply in replies {
        #expect(reply.parameters["number"]?.integer == next)
        next += 1
      }
      #expect(next == Int64(total) + 1)
      // The rest of an abandoned stream is read and dropped, which takes time on a busy machine.
      for try await _ in client.callMore("org.example.echo.Count", ["to": .integer(Int64(total))]) { break }
      #expect(try await client.call("org.example.echo.Say", ["text": "x"], timeout: nil)["text"] == "x")
      await client.close()
      await server.stop()
    }
  }

  /// This includes a client that has closed its sending side, which alone ends nothing.
  @Test(arguments: [false, true]) func clientThatLeavesEndsItsStream(_ halfCloses: Bool) async throws {
    let (ended, signal) = AsyncStream.makeStream(of: Void.self)
    let server = try await start { signal.finish() }
    let client = try RawSocket(path: path)
    client.send(Array((#"{"method":"org.example.echo.Wait","more":true}"# + "\0").utf8))
    if halfCloses { client.halfClose() }
    while server.connectionCount == 0 { await Task.yield() }
    client.close()
    for await _ in ended {}
    await server.stop()
  }

  @Test func connectionsAreCountedPerUser() async throws {
    var limits = Self.patient
    limits.connectionsPerUserMax = 3
    let server = try await start(limits: limits)
    var clients: [VarlinkClient] = []
    for _ in 0..<3 {
      let client = try await VarlinkClient.connect(path: path)
      _ = try await client.call("org.example.echo.Say", ["text": "x"])
      clients.append(client)
    }
    let fourth = try await VarlinkClient.connect(path: path)
    await #expect(throws: VarlinkClient.Failure.self) {
      try await fourth.call("org.example.echo.Say", ["text": "x"])
    }
    for client in clients { await client.close() }
    await server.stop()
  }

  /// The reason reaches the client whether it has called already or not.
  @Test func connectionWithoutRoomIsToldWhy() async throws {
    var limits = Self.patient
    limits.connectionsPerUserMax = 1
    let reason = VarlinkError("org.example.echo.Refused", ["reason": "too many"])
    let server = try await start(limits: limits, farewell: { $0 == .user(max: 1) ? reason : nil })
    let first = try await VarlinkClient.connect(path: path)
    _ = try await first.call("org.example.echo.Say", ["text": "x"])
    for _ in 0..<20 {
      let second = try await VarlinkClient.connect(path: path)
      await #expect(throws: reason) { try await second.call("org.example.echo.Say", ["text": "x"]) }
    }
    let silent = try RawSocket(path: path)
    #expect(await silent.receive(replies: nil).first?.contains("org.example.echo.Refused") == true)
    await first.close()
    await server.stop()
  }

  /// Only open connections count, however many there were before.
  @Test func closedConnectionsDoNotCount() async throws {
    var limits = Self.patient
    limits.connectionsPerUserMax = 2
    let server = try await start(limits: limits)
    for number in 1...6 {
      let client = try await VarlinkClient.connect(path: path)
      #expect(try await client.call("org.example.echo.Say", ["text": "x"])["text"] == "x", "connection \(number)")
      await client.close()
      while server.connectionCount > 0 { await Task.yield() }
    }
    await server.stop()
  }

  @Test func staleSocketIsReplacedAndALivingOneIsNot() async throws {
    let server = try await start()
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    #expect { try UnixListener.listen(path: path, mode: 0o600) } throws: { ($0 as? ListenError)?.number == EADDRINUSE }
    await server.stop()
    #expect(FileManager.default.fileExists(atPath: path), "the file stays behind, as after a crash")
    let again = try await start()
    await again.stop()
    let file = folder.path + "/file"
    try Data().write(to: URL(fileURLWithPath: file))
    #expect { try UnixListener.listen(path: file, mode: 0o600) } throws: { "\($0)".contains("not a socket") }
    #expect { try UnixListener.listen(path: String(repeating: "x", count: 200), mode: 0o600) } throws: {
      "\($0)".contains("107")
    }
  }

  @Test func peerIsWhoTheKernelSays() async throws {
    let server = try await start()
    let client = try RawSocket(path: path)
    let peer = try #require(VarlinkPeer(socket: client.descriptor))
    #expect(peer.uid == geteuid() && peer.pid == getpid() && peer.groups.contains(getegid()))
    client.close()
    await server.stop()
  }
}
