internal import Channels
internal import RelayNetwork
internal import Storage

extension Coordinator {
  /// Begins to read what is said in channels, in a task of its own.
  /// - Returns: the task, which ends after `messageInbox` is closed and everything in it is done; `nil` if nothing is read.
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

  /// Tells whoever reads messages, if someone does.
  func tellMessages(_ input: MessageInput) {
    guard messages != nil else { return }
    messageInbox.put(input)
  }

  /// Answers those who wait for messages, when no one else will.
  func refuseMessages() async {
    messageInbox.close()
    while let inputs = await messageInbox.take(max: Self.batchMax) { for input in inputs { input.refuse(.busy) } }
  }
}
