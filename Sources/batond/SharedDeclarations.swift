internal import Coordinator
internal import Logging
internal import Storage
internal import Synchronization

/// Compares the files that declare operators with the other daemons' files. They must be the same on all daemons that share the store,
/// because any of them may manage operators.
final class SharedDeclarations: Sendable {
  private struct State {
    /// The digest for the other daemons, or `nil` once the session is over.
    var digest: String?
    /// The daemons that had other files at the time of the last warning.
    var differing: Set<String> = []
  }

  private let sharing: any SharingStorage
  private let name: String
  private let logger: Logger
  private let state = Mutex(State())

  /// - Parameter name: the name of this daemon.
  init(_ sharing: any SharingStorage, name: String, logger: Logger) {
    self.sharing = sharing
    self.name = name
    self.logger = logger
  }

  /// Sends a digest of this daemon's files to the other daemons, and warns about different files.
  func tell(_ digest: String) {
    state.withLock { $0.digest = digest }
    Task {
      while state.withLock({ $0.digest == digest }) {
        do { return try await compare(digest) } catch {
          // The database does not reply.
          guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
        }
      }
    }
  }

  /// Stops reporting, because the session is over.
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
