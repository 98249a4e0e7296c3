/// The work on storage that keeps it sound while the daemon runs.
public protocol CareStorage: Sendable {
  /// How far a scrub of everything has got.
  associatedtype Scrub: Sendable

  /// Calls `tell` once for each piece of damage, wherever it is noticed, including damage found earlier.
  func tellDamage(_ tell: @escaping @Sendable (String) -> Void)

  /// Moves recent writes to their final place. It writes, but nothing that a question can see. If it fails, the next call does it, and
  /// nothing is lost.
  func checkpoint()

  /// Looks at the next rows for damage. A failed read is a finding too.
  /// - Parameters:
  ///   - place: where to continue, or `nil` to start at the beginning.
  ///   - rows: how many, at most.
  /// - Returns: the damage, described for people, and where to continue, or `nil` at the end.
  func scrub(_ place: Scrub?, rows: Int) -> (found: [String], next: Scrub?)

  /// A number that this installation drew once, to spread retries and choices. It writes the first time.
  /// - Parameter draw: draws the number.
  /// - Throws: `StoreError`. The daemon cannot begin.
  func installationSeed(_ draw: () -> UInt64) throws -> UInt64
}
