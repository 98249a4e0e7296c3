// Puts requests into the inbox of channels, and returns their answers.
extension Coordinator {
  /// - Parameter limit: the number of waiting requests at which this one is refused. `nil` means the general limit.
  func ask<Value>(limit: Int? = nil, _ input: (Reply<Value>) -> Engine.Input) async throws(BatonError) -> Value {
    try await answer(limit: limit, input).get()
  }

  func answer<Value>(
    limit: Int? = nil, _ input: (Reply<Value>) -> Engine.Input
  ) async -> Result<Value, BatonError> {
    await withCheckedContinuation { continuation in
      let reply = Reply<Value> { continuation.resume(returning: $0) }
      // Decided requests that wait for a commit count as waiting.
      let room = limit ?? max(0, requestsMax - directory.read { $0.inputsOpen })
      if !inbox.put(input(reply), limit: room) { continuation.resume(returning: .failure(.busy)) }
    }
  }
}
