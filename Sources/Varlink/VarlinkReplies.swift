internal import NIOCore

/// The replies to a call with `more`, in order, for one reader. While it does not read them, the connection is not read either: the number
/// of waiting replies is bounded, and the server notices that no one reads.
public struct VarlinkReplies: AsyncSequence, Sendable {
  public typealias Element = VarlinkReply

  /// The number of replies that may wait for the reader before the connection is no longer read.
  static let waitingMax = 64

  typealias Producer = NIOThrowingAsyncSequenceProducer<
    VarlinkReply, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Reading
  >

  private let producer: Producer

  static func make(on channel: any Channel, closesAtEnd: Bool) -> (VarlinkReplies, Producer.Source) {
    let made = Producer.makeSequence(
      backPressureStrategy: .init(lowWatermark: waitingMax / 4, highWatermark: waitingMax), finishOnDeinit: true,
      delegate: Reading(channel: channel, closesAtEnd: closesAtEnd))
    return (VarlinkReplies(producer: made.sequence), made.source)
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(replies: producer.makeAsyncIterator()) }

  public struct AsyncIterator: AsyncIteratorProtocol {
    let replies: Producer.AsyncIterator

    public func next() async throws -> VarlinkReply? { try await replies.next() }
  }

  /// Reads from the connection while the reader wants more replies.
  struct Reading: NIOAsyncSequenceProducerDelegate {
    let channel: any Channel
    let closesAtEnd: Bool

    func produceMore() { channel.setOption(.autoRead, value: true).whenComplete { _ in } }

    /// Ignores all further replies. Later calls on the connection still wait for the last one.
    func didTerminate() {
      if closesAtEnd { channel.close(promise: nil) } else { produceMore() }
    }
  }
}
