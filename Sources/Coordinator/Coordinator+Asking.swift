// How requests get into the inbox of channels, and answers come back.
extension Coordinator {
  /// - Parameter limit: requests that may wait before this one is refused; `nil` for the general limit.
  func ask<Value>(limit: Int? = nil, _ input: (Reply<Value>) -> Engine.Input) async throws(BatonError) -> Value {
    try await answer(limit: limit, input).get()
  }

  func answer<Value>(
    limit: Int? = nil, _ input: (Reply<Value>) -> Engine.Input
  ) async -> Result<Value, BatonError> {
    await withCheckedContinuation { continuation in
      let reply = Reply<Value> { continuation.resume(returning: $0) }
      // What is decided and waits for a commit counts as waiting.
      let room = limit ?? max(0, requestsMax - directory.read { $0.inputsOpen })
      if !inbox.put(input(reply), limit: room) { continuation.resume(returning: .failure(.busy)) }
    }
  }
}
