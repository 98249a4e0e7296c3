import ControlAPI
import StrictJSON
import TestSupport
import Varlink

/// A client that watches, and reads only what it is told to.
final class LazyWatcher {
  private let socket: RawSocket
  private var buffer: [UInt8] = []

  init(_ path: String, _ request: WatchRequest = WatchRequest()) throws {
    socket = try RawSocket(path: path)
    socket.send(
      VarlinkCall(method: "org.batond.Monitor.Watch", parameters: try request.json.object ?? [:], mode: .more).message)
  }

  /// The next message; nil when the connection has ended.
  /// - Throws: the error that the daemon ends the watch with.
  func next() async throws -> ChangeMessage? {
    while true {
      if let end = buffer.firstIndex(of: 0) {
        let reply = try VarlinkReply(message: buffer[..<end])
        buffer.removeSubrange(...end)
        return try ChangeMessage(json: .object(reply.parameters))
      }
      let more = await socket.receiveSome(max: 16_384)
      guard !more.isEmpty else { return nil }
      buffer += more
    }
  }

  /// The messages up to the one with this revision.
  func all(through revision: Int64) async throws -> [ChangeMessage] {
    var messages: [ChangeMessage] = []
    while messages.last.map({ $0.revision < revision }) ?? true, let message = try await next() { messages.append(message) }
    return messages
  }

  func close() { socket.close() }
}
