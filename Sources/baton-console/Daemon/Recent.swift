/// A reply that is expensive for the daemon, such as counts of all channels. Pages get the stored reply as long as nothing has changed,
/// or while it is less than two seconds old, so that pages that follow changes do not make the daemon count all the time.
actor Recent<Value: Sendable> {
  private var kept: (value: Value, revision: Int64?, at: Double)?
  private var asking: Task<Value, any Error>?

  /// How old an answer may be after something has changed, in seconds.
  private static var ageMax: Double { 2 }
  /// The greatest age of a reply, in seconds, because some of its values have no revision.
  private static var keptMax: Double { 30 }

  /// - Parameters:
  ///   - revision: the newest known revision, or `nil` if it is unknown.
  ///   - ask: gets the reply. Later callers wait for the same one.
  /// - Returns: the reply, and whether something has changed since.
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
