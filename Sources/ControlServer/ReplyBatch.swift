internal import ControlAPI
internal import Varlink

/// Replies to one call that are sent in one go.
struct ReplyBatch {
  /// The number of bytes sent in one go, if there are as many. The last message that is added may exceed it.
  static let bytes = 16 << 10

  private var replies = EncodedReplies()

  /// Adds a reply, and sends all of them if they are enough.
  /// - Parameter parameters: one JSON object in UTF-8.
  mutating func append<Reply>(parameters: [UInt8], to stream: ReplyStream<Reply>) async throws {
    replies.append(parameters: parameters)
    if replies.byteCount >= Self.bytes { try await send(to: stream) }
  }

  /// Sends the replies that were added since.
  mutating func send<Reply>(to stream: ReplyStream<Reply>) async throws {
    guard !replies.isEmpty else { return }
    try await stream.send(replies)
    replies = EncodedReplies()
  }

  var isEmpty: Bool { replies.isEmpty }
}
