import BatonClient
import ControlAPI
import Glibc
import Logging
import TestSupport
import Testing

/// Messages that no peer may send: the connection is closed without an answer, and no other client is affected.
@Suite(.serialized)
struct ProtocolBreachTests {
  private static let ping = Array(#"{"method":"io.systemd.service.Ping"}"#.utf8) + [0]

  /// Sends a good call, each message, and another good call; only the first one is answered.
  private func breach(_ messages: [[UInt8]]) async throws {
    let log = RecordingLog()
    let bench = try await Bench(logger: log.logger)
    let noted = "disconnected uid \(geteuid()), pid \(getpid()): "
    for message in messages {
      let socket = try RawSocket(path: bench.path)
      let before = log.entries.count
      socket.send(Self.ping + message + [0] + Self.ping)
      let what = String(decoding: message.prefix(200), as: UTF8.self)
      #expect(await socket.receive(replies: nil) == [#"{"parameters":{}}"#], "\(what)")
      #expect(
        log.entries.dropFirst(before).contains { $0.level == .debug && $0.message.hasPrefix(noted) }, "\(what) left no trace")
    }
    let other = try RawSocket(path: bench.path)
    other.send(Self.ping)
    #expect(await other.receive(replies: 1) == [#"{"parameters":{}}"#])
    try await bench.stop()
  }

  private static let broken = [
    // Not an object.
    "", " ", "[]", #"[{"method":"io.systemd.service.Ping"}]"#, "null", "1", #""io.systemd.service.Ping""#, "true",
    // Not JSON.
    "{", "}", #"{"method":"io.systemd.service.Ping""#, #"{"method":"io.systemd.service.Ping"}}"#,
    #"{"method":"io.systemd.service.Ping",}"#,
    #"{'method':'io.systemd.service.Ping'}"#, #"{method:"io.systemd.service.Ping"}"#,
    "\u{FEFF}{\"method\":\"io.systemd.service.Ping\"}",
    #"{"method":"io.systemd.service.Ping"} // comment"#, #"{"method":"io.systemd.service.Ping","parameters":{"x":01}}"#,
    #"{"method":"io.systemd.service.Ping","parameters":{"x":1e999}}"#,
    #"{"method":"io.systemd.service.Ping","parameters":{"x":NaN}}"#,
    #"{"method":"io.systemd.service.Ping","parameters":{"x":"\ud800"}}"#,
    #"{"method":"io.systemd.service.Ping","parameters":{"x":"\x"}}"#,
    "{\"method\":\"io.systemd.service.Ping\",\"parameters\":{\"x\":\"\n\"}}",
    // A wrong header.
    "{}", #"{"parameters":{}}"#, #"{"method":null}"#, #"{"method":1}"#, #"{"Method":"io.systemd.service.Ping"}"#,
    #"{"method":"io.systemd.service.Ping","parameters":[]}"#, #"{"method":"io.systemd.service.Ping","parameters":"{}"}"#,
    #"{"method":"io.systemd.service.Ping","parameters":false}"#, #"{"method":"io.systemd.service.Ping","more":1}"#,
    #"{"method":"io.systemd.service.Ping","oneway":"true"}"#, #"{"method":"io.systemd.service.Ping","upgrade":{}}"#,
    #"{"method":"io.systemd.service.Ping","oneway":true,"more":true}"#, #"{"method":"io.systemd.service.Ping","id":1}"#,
    #"{"method":"io.systemd.service.Ping","continues":true}"#, #"{"method":"io.systemd.service.Ping","":1}"#,
    #"{"method":"io.systemd.service.Ping","error":"org.varlink.service.InvalidParameter"}"#,
    // The same key twice, at any depth and however it is written.
    #"{"method":"io.systemd.service.Ping","method":"io.systemd.service.Ping"}"#,
    #"{"method":"io.systemd.service.Ping","m\u0065thod":"io.systemd.service.Ping"}"#,
    #"{"method":"io.systemd.service.Ping","parameters":{},"parameters":{}}"#,
    #"{"method":"io.systemd.service.Ping","more":false,"more":false}"#,
    #"{"method":"io.systemd.service.Ping","parameters":{"x":1,"x":1}}"#,
    #"{"method":"io.systemd.service.Ping","parameters":{"x":[{"y":{"z":1,"z":2}}]}}"#,
    #"{"method":"io.systemd.service.Ping","a.b":{"c":1,"c":1}}"#,
  ]

  @Test func brokenMessageEndsTheConnection() async throws { try await breach(Self.broken.map { Array($0.utf8) }) }

  /// A stray byte, an overlong slash, half a surrogate, beyond the last code point, a sequence that is cut off.
  @Test func whatIsNotUTF8EndsTheConnection() async throws {
    let wrong: [[UInt8]] = [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80]]
    let places = [
      (#"{"method":"io.systemd.service.Ping"#, #""}"#), (#"{"method":"io.systemd.service.Ping","a."#, #"":1}"#),
      (#"{"method":"io.systemd.service.Ping","parameters":{"x":""#, #""}}"#), (#"{"method":"io.systemd.service.Ping"}"#, ""),
    ]
    try await breach(
      wrong.flatMap { bytes in places.map { before, after in Array(before.utf8) + bytes + Array(after.utf8) } })
  }

  private static func call(filter: String) -> [UInt8] {
    Array(#"{"method":"org.batond.Relays.List","parameters":{"filter":\#(filter)}}"#.utf8)
  }

  /// Unfinished nesting, or nesting closed by the wrong bracket, is not a message, however deep it is.
  @Test func unfinishedDeepNestingEndsTheConnection() async throws {
    var messages: [[UInt8]] = []
    for depth in [65, 1000, 100_000] {
      for (open, close, other) in [("[", "]", "}"), (#"{"a":"#, "}", "]")] {
        for end in ["", String(repeating: close, count: depth - 1) + other] {
          messages.append(Self.call(filter: String(repeating: open, count: depth) + "1" + end))
        }
      }
    }
    try await breach(messages)
  }

  /// It is valid JSON, so the reply names the parameter.
  @Test func deepNestingIsRefusedAndTheConnectionStays() async throws {
    let bench = try await Bench()
    for depth in [65, 1000, 100_000] {
      for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")] {
        let filter = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        let socket = try RawSocket(path: bench.path)
        socket.send(Self.call(filter: filter) + [0] + Self.ping)
        #expect(
          await socket.receive(replies: 2) == [
            #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"filter"}}"#, #"{"parameters":{}}"#,
          ], "\(depth) \(open)")
      }
    }
    try await bench.stop()
  }

  /// The limit is 1 MiB; a longer message is neither kept nor read to its end.
  @Test(arguments: [(1 << 20) + 1, 17 << 20])
  func endlessMessageEndsTheConnection(_ size: Int) async throws {
    let bench = try await Bench()
    let head = Array(#"{"method":"org.batond.Relays.List","parameters":{"cursor":""#.utf8)
    for isTerminated in [true, false] {
      let socket = try RawSocket(path: bench.path)
      let end = isTerminated ? Array(#""}}"#.utf8) + [0] : []
      socket.send(head + [UInt8](repeating: UInt8(ascii: "x"), count: size) + end)
      #expect(await socket.receive(replies: nil).isEmpty)
    }
    #expect(try await bench.client.daemon.status().channels == 0)
    try await bench.stop()
  }
}
