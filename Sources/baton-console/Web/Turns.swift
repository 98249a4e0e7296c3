/// Runs operations on the same object one after the other.
actor Turns {
  private var last: [Int64: (number: Int, task: Task<Void, Never>)] = [:]
  private var count = 0

  /// Runs an operation on an object after all earlier ones on it have ended.
  func take<Value: Sendable>(_ object: Int64, _ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let before = last[object]?.task
    let task = Task {
      await before?.value
      return try await body()
    }
    count += 1
    let number = count
    last[object] = (number, Task { _ = await task.result })
    defer { if last[object]?.number == number { last[object] = nil } }
    return try await task.value
  }
}
