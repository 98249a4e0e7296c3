import Foundation
import TestSupport
import Testing

/// The control server answers odd input, over raw sockets, as other servers do.
@Suite(.serialized)
struct MannersTests {
  private static let ping = #"{"method":"io.systemd.service.Ping"}"#
  private static let pong = #"{"parameters":{}}"#

  /// Sends the messages, each with its terminator, in one write.
  /// - Returns: all that comes back until the server closes or `replies` messages are there.
  private func exchange(_ bench: Bench, _ messages: [String], replies: Int? = nil, halfClose: Bool = false) async throws
    -> [String]
  {
    let socket = try RawSocket(path: bench.path)
    socket.send(Array(messages.map { $0 + "\0" }.joined().utf8))
    if halfClose { socket.halfClose() }
    return await socket.receive(replies: replies)
  }

  /// A logical error is answered with the right name, and the connection continues.
  private static let badCalls = [
    // Unknown names.
    (#"{"method":"io.systemd.service.Nope"}"#, "MethodNotFound", "method", "io.systemd.service.Nope"),
    (#"{"method":"org.varlink.service.Nope"}"#, "MethodNotFound", "method", "org.varlink.service.Nope"),
    (#"{"method":"org.batond.Nope.Get"}"#, "InterfaceNotFound", "interface", "org.batond.Nope"),
    (#"{"method":"org.batond.Relays.Get.Get"}"#, "InterfaceNotFound", "interface", "org.batond.Relays.Get"),
    (#"{"method":"foo"}"#, "MethodNotFound", "method", "foo"),
    (#"{"method":""}"#, "MethodNotFound", "method", ""),
    (#"{"method":"org.batond.Relays."}"#, "MethodNotFound", "method", "org.batond.Relays."),
    (#"{"method":".Get"}"#, "InterfaceNotFound", "interface", ""),
    (#"{"method":"org.batond.Relays.Get\u0000"}"#, "MethodNotFound", "method", #"org.batond.Relays.Get\u0000"#),
    (
      #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.batond.Nope"}}"#,
      "InterfaceNotFound", "interface", "org.batond.Nope"
    ),
    // Parameters that are unknown, of the wrong type, out of range or missing; nested ones by the outermost name.
    (#"{"method":"io.systemd.service.Ping","parameters":{"x":1}}"#, "InvalidParameter", "parameter", "x"),
    (#"{"method":"org.varlink.service.GetInfo","parameters":{"x":null}}"#, "InvalidParameter", "parameter", "x"),
    (#"{"method":"org.varlink.service.GetInterfaceDescription"}"#, "InvalidParameter", "parameter", "interface"),
    (
      #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":7}}"#,
      "InvalidParameter", "parameter", "interface"
    ),
    (#"{"method":"org.batond.Channels.Link"}"#, "InvalidParameter", "parameter", "id"),
    (#"{"method":"org.batond.Channels.Link","parameters":{"id":null}}"#, "InvalidParameter", "parameter", "id"),
    (#"{"method":"org.batond.Channels.Link","parameters":{"id":[1]}}"#, "InvalidParameter", "parameter", "id"),
    (#"{"method":"org.batond.Channels.Link","parameters":{"id":true}}"#, "InvalidParameter", "parameter", "id"),
    (#"{"method":"org.batond.Channels.Create","parameters":{"profile":{}}}"#, "InvalidParameter", "parameter", "profile"),
    (
      #"{"method":"org.batond.Channels.Create","parameters":{"profile":{"displayName":7}}}"#,
      "InvalidParameter", "parameter", "profile"
    ),
    (#"{"method":"org.batond.Relays.List","parameters":{"limit":0}}"#, "InvalidParameter", "parameter", "limit"),
    (#"{"method":"org.batond.Relays.List","parameters":{"limit":1001}}"#, "InvalidParameter", "parameter", "limit"),
    // Texts that a database would read only up to U+0000.
    (#"{"method":"org.batond.Channels.Get","parameters":{"name":"x\u0000y"}}"#, "InvalidParameter", "parameter", "name"),
    (
      #"{"method":"org.batond.Channels.Create","parameters":{"profile":{"displayName":"x\u0000"}}}"#,
      "InvalidParameter", "parameter", "profile"
    ),
    (
      #"{"method":"org.batond.Channels.List","parameters":{"filter":{"displayName":{"$in":["x\u0000"]}}}}"#,
      "InvalidParameter", "parameter", "filter"
    ),
    (
      #"{"method":"org.batond.Channels.Create","parameters":{"profile":{"displayName":"x"},"custom":{"a\u0000":1}}}"#,
      "InvalidParameter", "parameter", "custom"
    ),
    // No relays are no way to leave the choice to Baton.
    (
      #"{"method":"org.batond.Channels.Create","parameters":{"profile":{"displayName":"x"},"relayIds":[]}}"#,
      "InvalidParameter", "parameter", "relayIds"
    ),
    (
      #"{"method":"org.batond.Channels.AddRelays","parameters":{"id":1,"relayIds":[],"pick":1}}"#,
      "InvalidParameter", "parameter", "relayIds"
    ),
    (
      #"{"method":"org.batond.Channels.Follow","parameters":{"link":"x","relayIds":[]}}"#,
      "InvalidParameter", "parameter", "relayIds"
    ),
    // Keys that are different in JSON but canonically equivalent in Unicode.
    (
      #"{"method":"org.batond.Channels.Create","parameters":{"profile":{"displayName":"x"},"custom":{"\u00e9":1,"e\u0301":2}}}"#,
      "InvalidParameter", "parameter", "custom"
    ),
    (
      #"{"method":"io.systemd.service.Nope","parameters":{"custom":{"\u00e9":1,"e\u0301":2}}}"#, "MethodNotFound", "method",
      "io.systemd.service.Nope"
    ),
    // Integers: whole, 64 bits, as digits in a string where they are large.
    (#"{"method":"org.batond.Channels.Link","parameters":{"id":1.5}}"#, "InvalidParameter", "parameter", "id"),
    (#"{"method":"org.batond.Channels.Link","parameters":{"id":1e300}}"#, "InvalidParameter", "parameter", "id"),
    (#"{"method":"org.batond.Channels.Link","parameters":{"id":9223372036854775808}}"#, "InvalidParameter", "parameter", "id"),
    (
      #"{"method":"org.batond.Channels.Link","parameters":{"id":"9223372036854775808"}}"#, "InvalidParameter", "parameter", "id"
    ),
    (#"{"method":"org.batond.Channels.Link","parameters":{"id":"1x"}}"#, "InvalidParameter", "parameter", "id"),
    (#"{"method":"org.batond.Channels.Link","parameters":{"id":" 1"}}"#, "InvalidParameter", "parameter", "id"),
    (#"{"method":"org.batond.Channels.Link","parameters":{"id":""}}"#, "InvalidParameter", "parameter", "id"),
    (#"{"method":"org.batond.Channels.Link","parameters":{"id":"+1"}}"#, "InvalidParameter", "parameter", "id"),
    (#"{"method":"org.batond.Channels.Link","parameters":{"id":"0x1"}}"#, "InvalidParameter", "parameter", "id"),
  ]

  @Test func badCallIsAnsweredAndTheNextOneToo() async throws {
    let bench = try await Bench()
    for (call, error, field, value) in Self.badCalls {
      let replies = try await exchange(bench, [call, Self.ping], replies: 2)
      let expected = #"{"error":"org.varlink.service.\#(error)","parameters":{"\#(field)":"\#(value)"}}"#
      #expect(replies == [expected, Self.pong], "\(call)")
    }
    try await bench.stop()
  }

  @Test func identifiersMayBeDigitsInAString() async throws {
    let bench = try await Bench()
    for (id, plain) in [
      ("7", "7"), ("7.0", "7"), ("0.7e1", "7"), (#""7""#, "7"), (#""-1""#, "-1"),
      ("9223372036854775807", "9223372036854775807"),
      (#""9223372036854775807""#, "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
    ] {
      let call = #"{"method":"org.batond.Channels.Link","parameters":{"id":\#(id)}}"#
      let expected = #"{"error":"org.batond.Channels.NoSuchChannel","parameters":{"id":\#(plain)}}"#
      #expect(try await exchange(bench, [call], replies: 1) == [expected], "\(id)")
    }
    try await bench.stop()
  }

  /// Redundant flags, vendor keys, white space, and requests for a stream or another protocol that have no effect.
  @Test func harmlessHeaderChangesNothing() async throws {
    let bench = try await Bench()
    for header in [
      "", #","parameters":null"#, #","parameters":{}"#, #","more":false,"oneway":false,"upgrade":false"#, #","more":null"#,
      #","more":true"#, #","upgrade":true"#, #","upgrade":true,"more":true"#, #","com.example.trace":{"a":[1,null]}"#,
      #","foo.bar":1,"x.":2"#, " \n\t\r,\n\"parameters\" : { } \n",
    ] {
      let call = "\n{\"method\":\"io.systemd.service.Ping\"\(header)} "
      #expect(try await exchange(bench, [call, Self.ping], replies: 2) == [Self.pong, Self.pong], "\(header)")
    }
    try await bench.stop()
  }

  @Test func infoIsTheSameHoweverAbsentParametersAreWritten() async throws {
    let bench = try await Bench()
    let calls = ["", #","parameters":null"#, #","parameters":{}"#].map { #"{"method":"org.varlink.service.GetInfo"\#($0)}"# }
    let replies = try await exchange(bench, calls, replies: 3)
    #expect(Set(replies).count == 1 && replies.first?.contains(#""product":"batond""#) == true)
    try await bench.stop()
  }

  @Test func streamMustBeAskedFor() async throws {
    let bench = try await Bench()
    for flag in ["", #","more":false"#, #","upgrade":true"#] {
      let replies = try await exchange(bench, [#"{"method":"org.batond.Monitor.Watch"\#(flag)}"#, Self.ping], replies: 2)
      #expect(replies == [#"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#, Self.pong])
    }
    try await bench.stop()
  }

  /// A call that wants no answer gets none, whether it succeeds, fails or does not exist.
  @Test func onewayCallsAreNeverAnswered() async throws {
    let bench = try await Bench()
    let methods = [
      "io.systemd.service.Ping", "org.batond.Relays.List", "org.batond.Nope.X", "nope", "org.batond.Monitor.Watch",
    ]
    let calls = methods.map { #"{"method":"\#($0)","oneway":true}"# } + [#"{"method":"org.batond.Daemon.Status"}"#]
    let replies = try await exchange(bench, calls + [Self.ping], halfClose: true)
    #expect(replies.count == 2 && replies.first?.contains(#""startedAt":"#) == true && replies.last == Self.pong)
    try await bench.stop()
  }

  @Test func threeCallsInOneWriteAreAnsweredInOrder() async throws {
    let bench = try await Bench()
    let calls = [
      #"{"method":"org.batond.Relays.List"}"#, Self.ping, #"{"method":"org.batond.Channels.Link","parameters":{"id":3}}"#,
    ]
    let replies = try await exchange(bench, calls, replies: 3)
    #expect(replies.first?.contains(#""relays":[]"#) == true && replies.dropFirst().first == Self.pong)
    #expect(replies.last?.contains("NoSuchChannel") == true)
    try await bench.stop()
  }

  @Test func singleBytesAreEnough() async throws {
    let bench = try await Bench()
    let socket = try RawSocket(path: bench.path)
    for byte in Array((#"{"method":"org.batond.Relays.List"}"# + "\0" + Self.ping + "\0").utf8) { socket.send([byte]) }
    let replies = await socket.receive(replies: 2)
    #expect(replies.count == 2 && replies.last == Self.pong)
    try await bench.stop()
  }

  @Test func halfClosedClientGetsWhatItAskedForThenTheEnd() async throws {
    let bench = try await Bench()
    let calls = (0..<5).map { _ in #"{"method":"org.batond.Relays.List"}"# } + [Self.ping]
    let replies = try await exchange(bench, calls, halfClose: true)
    #expect(replies.count == 6 && replies.last == Self.pong)
    // An unfinished message is not a call.
    let socket = try RawSocket(path: bench.path)
    socket.send(Array((Self.ping + "\0" + Self.ping).utf8))
    socket.halfClose()
    #expect(await socket.receive(replies: nil) == [Self.pong])
    try await bench.stop()
  }
}
