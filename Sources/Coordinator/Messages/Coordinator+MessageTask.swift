internal import Channels
internal import RelayNetwork
internal import Storage

extension Coordinator {
  /// Begins to read messages of channels, in a separate task.
  /// - Returns: the task, which ends after `messageInbox` is closed and its inputs are done. `nil` if no messages are read.
  func startMessages() -> Task<Void, Never>? {
    guard let messages else {
      messageInbox.close()
      return nil
    }
    let inbox = messageInbox
    let keeper = MessageKeeper(
      messages, directory: directory, clock: clock, logger: logger, hub: messageHub, postHub: postHub, metrics: metrics,
      put: { input in if !inbox.put(input) { input.refuse(.busy) } })
    return Task {
      await keeper.begin()
      while let inputs = await inbox.take(max: Self.batchMax) { await keeper.process(inputs) }
      await keeper.end()
    }
  }

  /// Puts an input into the inbox for messages, if they are read.
  func tellMessages(_ input: MessageInput) {
    guard messages != nil else { return }
    messageInbox.put(input)
  }

  /// Answers waiting requests about messages when nothing else will.
  func refuseMessages() async {
    messageInbox.close()
    while let inputs = await messageInbox.take(max: Self.batchMax) { for input in inputs { input.refuse(.busy) } }
  }
}
