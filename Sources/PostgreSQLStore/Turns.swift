/// Lets one continue at a time, in the order in which they came, even while that one waits.
package actor Turns {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  package init() {}

  /// Does `body` once all others are done.
  package nonisolated(nonsending) func one<Result>(_ body: () async -> Result) async -> Result {
    await begin()
    let result = await body()
    await end()
    return result
  }

  private func begin() async {
    guard isTaken else { return isTaken = true }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func end() { if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() } }
}
