/// An answer that costs the daemon much, such as counts of all channels. Whoever looks at a page gets the one that there is as long as nothing
/// has changed, or if it is not older than two seconds: pages that follow changes must not have the daemon count all the time.
actor Recent<Value: Sendable> {
  private var kept: (value: Value, revision: Int64?, at: Double)?
  private var asking: Task<Value, any Error>?

  /// How old an answer may be after something has changed, in seconds.
  private static var ageMax: Double { 2 }
  /// How old an answer may be at all, in seconds: not everything that it says has a revision.
  private static var keptMax: Double { 30 }

  /// - Parameters:
  ///   - revision: the newest revision that is known; `nil` if that is not known.
  ///   - ask: gets the answer. Whoever comes meanwhile waits for the same one.
  /// - Returns: the answer, and whether something has changed since.
  func value(
    at revision: Int64?, now: Double = SessionStore.now.seconds, _ ask: @escaping @Sendable () async throws -> Value
  ) async throws -> (value: Value, isOld: Bool) {
    if let kept {
      let age = now - kept.at
      let isPresent = revision != nil && kept.revision == revision
      if age < (isPresent ? Self.keptMax : Self.ageMax) { return (kept.value, !isPresent) }
    }
    if let asking { return (try await asking.value, true) }
    let task = Task { try await ask() }
    asking = task
    defer { asking = nil }
    let value = try await task.value
    kept = (value, revision, now)
    return (value, false)
  }
}
