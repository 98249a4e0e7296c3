/// The work on storage that keeps it sound while the daemon runs.
public protocol CareStorage: Sendable {
  /// How far a scrub of everything has got.
  associatedtype Scrub: Sendable

  /// Calls `tell` once for each piece of damage, whatever finds it, including what was found already.
  func tellDamage(_ tell: @escaping @Sendable (String) -> Void)

  /// Moves recent writes to their final place. It writes, but nothing that any question sees. If it fails, the next call does it, and
  /// nothing is lost.
  func checkpoint()

  /// Looks at the next rows for damage. A read that fails is a finding, too.
  /// - Parameters:
  ///   - place: where to go on; `nil` to start at the beginning.
  ///   - rows: how many, at most.
  /// - Returns: what is damaged, for people, and where to go on; `nil` if everything was looked at.
  func scrub(_ place: Scrub?, rows: Int) -> (found: [String], next: Scrub?)

  /// A number that this installation drew once; it spreads retries and choices. It writes the first time.
  /// - Parameter draw: draws the number.
  /// - Throws: `StoreError`; the daemon cannot begin.
  func installationSeed(_ draw: () -> UInt64) throws -> UInt64
}
