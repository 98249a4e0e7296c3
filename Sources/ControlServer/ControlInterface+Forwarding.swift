internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Logging
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import StrictJSON
internal import Varlink

/// An interface that answers calls which another daemon has received for it.
protocol ForwardedAnswering: Sendable {
  var definition: IDL.Interface { get }

  /// Answers a call that another daemon's client is allowed to make.
  /// - Parameter origin: names that daemon and the call, for the journal.
  /// - Returns: the reply as a message, or `nil` if it is not this daemon's to answer, and nothing was done.
  /// - Throws: `CancellationError` if it is not known what was done.
  func answer(_ call: VarlinkCall, forwardedFor user: UInt32, by origin: String) async throws -> String?
}

// Calls that other daemons answer, and other daemons' calls that this one answers.
extension ControlInterface: ForwardedAnswering {
  /// Has the daemon that has a slot answer a call.
  func forward(
    _ call: VarlinkCall, to slot: Int, for peer: VarlinkPeer, _ forwarder: CallForwarder
  ) async throws -> EncodedParameters {
    if let reason = Self.whyNotForwarded(call) { throw BatonError.storageUnavailable(reason: reason) }
    let passed = CallForwarder.Call(
      method: call.method, parameters: JSONValue.object(call.parameters).text, hasMore: call.mode == .more, user: peer.uid)
    let message = try await forwarder.forward(passed, to: slot) { id in
      // This connects the entry with the other daemon's journal.
      context.logger.notice(
        "\(call.method) by uid \(peer.uid), pid \(peer.pid) was passed to the daemon with slot \(slot) as call \(id)")
    }
    // The client may ask this daemon for the changed object next.
    await context.coordinator.catchUp()
    guard let reply = try JSONParser.parse(message).object, let parameters = reply["parameters"]?.object else {
      throw BatonError.outcomeUnknown(reason: "another daemon's reply is unreadable")
    }
    if let error = reply["error"]?.string { throw Service.Refusal(VarlinkError(error, parameters)) }
    return EncodedParameters(JSONValue.object(parameters))
  }

  /// Does `body`, but for no longer than `limit` once `isThere`. `nil` is no limit.
  /// - Returns: `nil` if it took longer.
  private func within(
    _ limit: Duration?, isThere: @escaping @Sendable () -> Bool, _ body: @escaping @Sendable () async throws -> any JSONWritable
  ) async throws -> (any JSONWritable)? {
    try await withThrowingTaskGroup(of: (any JSONWritable)?.self) { group in
      group.addTask { try await body() }
      if let limit {
        group.addTask {
          repeat { try await Task.sleep(for: limit) } while !isThere()
          return nil
        }
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// The reason why no other daemon can answer a call: it names something that only this daemon has.
  private static func whyNotForwarded(_ call: VarlinkCall) -> String? {
    func has(_ name: String) -> Bool { call.parameters[name].map { $0 != .null && $0 != .bool(false) } ?? false }
    if has("messageId") || has("replyToMessage") {
      return "another daemon has this channel, and there the message has another number: ask that daemon"
    }
    if has("credential") { return "another daemon looks after identities, and this one has the credential: add it to that one" }
    if has("clearHistory") {
      return "another daemon has this channel: hide it here without clearing its history, and truncate it"
    }
    return nil
  }

  func answer(_ call: VarlinkCall, forwardedFor user: UInt32, by origin: String) async throws -> String? {
    guard let method = Service.Method(rawValue: call.method) else {
      return VarlinkError.methodNotImplemented(call.method).message
    }
    do {
      // The client gets only the last reply.
      let latest = NIOLockedValueBox<ByteBuffer?>(nil)
      let stream = VarlinkStream { message in latest.withLockedValue { $0 = message } }
      let followed = call.mode == .more ? context.forwarder?.followMax : nil
      let answered = try await within(followed, isThere: { latest.withLockedValue { $0 != nil } }) {
        try await Caller.$origin.withValue(origin) { try await perform(method, call, user, 0, stream) }
      }
      guard let reply = answered else {
        // The work that it began continues for longer than anyone waits. This is its present state.
        guard let text = latest.withLockedValue({ $0 }).map({ String(buffer: $0).replacing("\0", with: "") }),
          let parameters = try JSONParser.parse(text).object?["parameters"]
        else { throw CancellationError() }
        return JSONValue.object(["parameters": parameters]).text
      }
      var writer = JSONWriter()
      writer.beginObject()
      writer.member("parameters", reply)
      writer.endObject()
      return String(decoding: writer.bytes, as: UTF8.self)
    } catch is CancellationError {
      throw CancellationError()
    } catch BatonError.elsewhere {
      return nil
    } catch {
      let peer = VarlinkPeer(pid: 0, uid: user, gid: .max, groups: [])
      return refusal(for: error, call, peer).message
    }
  }
}
