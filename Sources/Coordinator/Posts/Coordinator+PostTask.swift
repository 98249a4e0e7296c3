internal import Channels
internal import RelayNetwork
internal import Storage

extension Coordinator {
  /// Begins to deliver posts, in a separate task. Returns once unfinished work was resumed.
  /// - Parameter stoppedAt: the last sign of life of the previous run.
  /// - Returns: the task, which ends after `postInbox` is closed and its inputs are done. `nil` if there are no posts. If it fails before,
  ///   the coordinator stops.
  func startPosts(stoppedAt: Timestamp?) async throws -> Task<Void, any Error>? {
    guard let posts else {
      postInbox.close()
      return nil
    }
    let (readiness, isReady) = AsyncThrowingStream.makeStream(of: Void.self)
    let task = Task {
      do {
        try await deliver(posts, stoppedAt: stoppedAt) { isReady.finish() }
      } catch {
        isReady.finish(throwing: error)
        stop()
        await refusePosts()
        throw error
      }
    }
    for try await _ in readiness {}
    return task
  }

  private func deliver(_ posts: any PostStorage & CoordinatorStorage, stoppedAt: Timestamp?, ready: () -> Void) async throws {
    let inbox = postInbox
    let put = { @Sendable (input: PostInput) in if !inbox.put(input) { input.refuse(.busy) } }
    let engine = try await PostEngine(
      storage: posts, channels: posts, slots: slots, directory: directory, rules: rules, clock: clock, logger: logger,
      hub: postHub, metrics: metrics,
      compose: { composition in
        Task { put(.composed(composition.post, in: composition.channel, await self.compose(composition.request))) }
      }, mayAct: mayAct, poke: { inbox.poke() }, doubt: { self.inbox.put(.verify($0, Reply { _ in })) }, put: put)
    try await engine.resume(stoppedAt: stoppedAt)
    ready()
    while engine.fenced == nil,
      let inputs = await inbox.take(max: Self.batchMax, atLeast: engine.flight == nil ? 1 : earlyMin)
    {
      await engine.process(inputs)
    }
    await engine.rest()
    engine.stop()
    if let fenced = engine.fenced { throw fenced }
  }

  /// Answers waiting requests about posts when nothing else will.
  func refusePosts() async {
    postInbox.close()
    while let inputs = await postInbox.take(max: Self.batchMax) { for input in inputs { input.refuse(.busy) } }
  }

  /// Passes a network's report to its recipient.
  func take(_ report: NetworkReport) {
    switch report {
    case .delivery(let post, let relay, let number, let outcome, let form):
      postInbox.put(.outcome(post, relay, number: number, outcome, form: form))
    case .compared(let channel, let relay, let number, let outcome):
      postInbox.put(.compared(channel, relay, number: number, outcome))
    case .relayUp(let relay, _):
      inboxPut(report)
      postInbox.put(.relayUp(relay))
    case .read(let batch): if !messageInbox.put(.read(batch)) { directory.networks[batch.id.network]?.took(batch.id) }
    case .synced(let channel, let relay, let outcome): messageInbox.put(.synced(channel, relay, outcome))
    case .searched(let channel, let relay, let number, let outcome):
      messageInbox.put(.searched(channel, relay, number: number, outcome))
    case .served(let inventory): messageInbox.put(.served(inventory))
    case .outcome, .named, .stray, .lost, .relayDown, .unreadable, .state: inboxPut(report)
    }
  }

  /// Tells the task for posts about a change or doubt of a channel, if that has posts.
  func tellPosts(_ input: PostInput, about channel: ChannelID) {
    guard directory.read({ $0.channelsWithPosts.contains(channel) }) else { return }
    postInbox.put(input)
  }
}
