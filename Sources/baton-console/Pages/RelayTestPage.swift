internal import BatonClient
internal import ControlAPI
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import StrictJSON
internal import Varlink

// A test of a relay or server. The page arrives step by step during the test, with and without scripts.
extension Pages {
  func testRelay(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let id = try id(context)
    try requireChange(context)
    let relay = try await daemon.ask { try await $0.relays.get(id: id) }
    return test(
      "relays/\(id)", relay.name, section: .relays, steps: { try await $0.relays.testAndFollow(id: id) }, request, context)
  }

  func testServer(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let id = try id(context)
    try requireChange(context)
    let server = try await daemon.ask { try await $0.servers.get(id: id) }
    return test(
      "servers", server.hosts.first ?? server.address, section: .servers,
      steps: { try await $0.servers.testAndFollow(id: id) }, request, context)
  }

  private func test(
    _ back: String, _ name: String, section: Renderer.Section,
    steps: @escaping @Sendable (BatonClient) async throws -> any AsyncSequence<TestReply, any Error> & Sendable,
    _ request: Request, _ context: ConsoleContext
  ) -> Response {
    let view: View = [
      "name": .text(name), "back": .text(back), "backName": .text(section == .relays ? "relay" : "servers"),
    ]
    guard let (head, tail) = renderer.halves("test", title: "Test of \(name)", section: section, view, request, context) else {
      return Response(status: .internalServerError)
    }
    let templates = renderer.templates
    let body = ResponseBody { writer in
      func write(_ template: String, _ view: View) async throws {
        try await writer.write(ByteBuffer(string: templates.render(template, view) ?? ""))
      }
      try await writer.write(ByteBuffer(string: head))
      do {
        let client = try await daemon.connect()
        defer { Task { await client.close() } }
        var hasFailed = false
        do {
          for try await reply in try await steps(client) {
            guard let step = reply.step else { continue }
            hasFailed = hasFailed || !step.passed
            try await write("step", Self.view(step))
          }
          try await write("verdict", ["mark": Mark.view(hasFailed ? "failed" : "passed"), "hasFailed": .flag(hasFailed)])
        } catch let error as VarlinkError {
          try await write("verdict", ["trouble": .text(Failures.sentence(error))])
        }
      } catch let failure as VarlinkClient.Failure {
        try await write("verdict", ["trouble": .text(Failures.sentence(failure, at: daemon.socket))])
      }
      try await writer.write(ByteBuffer(string: tail))
      try await writer.finish(nil)
    }
    return Response(
      status: .ok, headers: [.contentType: "text/html; charset=utf-8", .xAccelBuffering: "no"], body: body)
  }

  private static func view(_ step: TestStep) -> View {
    [
      "name": .text(Mark.spoken(step.name)), "mark": Mark.view(step.passed ? "passed" : "failed"),
      "cause": .some(step.cause.map(Mark.spoken)), "detail": .some(step.detail),
      "duration": .text(Times.duration(milliseconds: whole(step.durationMilliseconds.rounded()))),
    ]
  }
}
