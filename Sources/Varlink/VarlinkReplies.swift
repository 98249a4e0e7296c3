internal import NIOCore

/// The replies to a call with `more`, in order. For one reader. While it does not take them, the connection is not read: what waits
/// here is bounded, and the server sees that nobody listens.
public struct VarlinkReplies: AsyncSequence, Sendable {
  public typealias Element = VarlinkReply

  /// Replies that wait for the reader before the connection is not read any more.
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

  /// Reads the connection as far as somebody wants what comes.
  struct Reading: NIOAsyncSequenceProducerDelegate {
    let channel: any Channel
    let closesAtEnd: Bool

    func produceMore() { channel.setOption(.autoRead, value: true).whenComplete { _ in } }

    /// What still comes is of no interest; calls that follow on the connection wait for its end all the same.
    func didTerminate() {
      if closesAtEnd { channel.close(promise: nil) } else { produceMore() }
    }
  }
}
