/// What whoever runs the daemon does to keep storage sound while it runs.
public protocol CareStorage: Sendable {
  /// How far a look at everything has come.
  associatedtype Scrub: Sendable

  /// Calls `tell` for whatever is found damaged, by whomever, what was found already included; each once.
  func tellDamage(_ tell: @escaping @Sendable (String) -> Void)

  /// Brings what was written lately to where it is meant to stay. Writes, but nothing that any question sees. What fails is done the next
  /// time: nothing is lost by it.
  func checkpoint()

  /// Looks at the next rows for damage. A read that fails is a finding, too.
  /// - Parameters:
  ///   - place: where to go on; `nil` to start at the beginning.
  ///   - rows: how many, at most.
  /// - Returns: what is damaged, for people, and where to go on; `nil` if everything was looked at.
  func scrub(_ place: Scrub?, rows: Int) -> (found: [String], next: Scrub?)

  /// A number that this installation drew once; it spreads retries and choices. Writes the first time.
  /// - Parameter draw: draws it.
  /// - Throws: `StoreError`; the daemon cannot begin.
  func installationSeed(_ draw: () -> UInt64) throws -> UInt64
}
