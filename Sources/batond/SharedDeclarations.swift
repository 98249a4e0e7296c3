internal import Coordinator
internal import Logging
internal import Storage
internal import Synchronization

/// Compares the files that declare operators with those of the other daemons that share the store. They must be the same on all of them,
/// because any daemon may look after operators.
final class SharedDeclarations: Sendable {
  private struct State {
    /// The digest that is told to the others; `nil` once the session is over.
    var digest: String?
    /// Which daemons had other files when that was said last.
    var differing: Set<String> = []
  }

  private let sharing: any SharingStorage
  private let name: String
  private let logger: Logger
  private let state = Mutex(State())

  /// - Parameter name: that of this daemon.
  init(_ sharing: any SharingStorage, name: String, logger: Logger) {
    self.sharing = sharing
    self.name = name
    self.logger = logger
  }

  /// Tells the others a digest of this daemon's files, and says whose are different.
  func tell(_ digest: String) {
    state.withLock { $0.digest = digest }
    Task {
      while state.withLock({ $0.digest == digest }) {
        do { return try await compare(digest) } catch {
          // The database does not answer.
          guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
        }
      }
    }
  }

  /// Tells nothing more: the session is over.
  func end() { state.withLock { $0.digest = nil } }

  private func compare(_ digest: String) async throws {
    try await sharing.note(declarations: digest)
    let all = try await sharing.daemons().filter { $0.name != name && $0.state == .alive }
    let others = Set(all.filter { $0.declarations.map { $0 != digest } ?? false }.map(\.name))
    let isNew = state.withLock { state in
      defer { state.differing = others }
      return !others.isSubset(of: state.differing)
    }
    guard isNew else { return }
    let names = others.sorted().map { "'\($0)'" }.joined(separator: ", ")
    logger.event(
      .declarationsDiffer, .warning,
      "the files that declare operators differ from the files of \(names). Copy the same files to all machines, and run batonctl reload on each"
    )
  }
}
