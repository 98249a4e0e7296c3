internal import Channels
internal import ControlAPI
internal import Coordinator
internal import NIOPosix
internal import Nostr
internal import Provisioning
internal import RelayNetwork
internal import SimpleX
internal import StrictJSON
internal import Synchronization

/// Loads the files that declare operators, at the start and whenever somebody asks. All of them are checked before anything changes.
final class DeclarationLoader: Sendable {
  private struct State {
    /// The latest load; loads follow one another, so that what was read last is in force last.
    var latest: Task<ReloadReport, any Error>?
    var trouble: String?
  }
  private let folder: DeclarationFolder
  private let coordinator: Coordinator
  private let state = Mutex(State())

  init(path: String, coordinator: Coordinator) {
    folder = DeclarationFolder(path: path)
    self.coordinator = coordinator
  }

  /// What is wrong with the files; nil when they are in force.
  var trouble: String? { state.withLock { $0.trouble } }

  /// - Throws: `BatonError`; `invalidFiles` names all that is wrong. Then everything stays as it was.
  func load() async throws -> ReloadReport {
    let task = state.withLock { state in
      let before = state.latest
      let task = Task {
        _ = await before?.result
        return try await self.loadNow()
      }
      state.latest = task
      return task
    }
    return try await task.value
  }

  private func loadNow() async throws(BatonError) -> ReloadReport {
    do {
      return try await put()
    } catch {
      var words = "they could not be loaded: \(error)"
      if case .invalidFiles(let flaws) = error {
        words = flaws.map(\.description).joined(separator: "; ")
        coordinator.refuseDeclarations(flaws)
      }
      state.withLock { $0.trouble = words }
      throw error
    }
  }

  private func put() async throws(BatonError) -> ReloadReport {
    let (files, declarations) = try Self.read(folder)
    if !folder.exists, coordinator.hasDeclared {
      // A misspelt path or a missing mount must not turn everything off.
      throw .invalidFiles([
        FileFlaw(
          file: folder.path, line: nil, column: nil,
          text: "the folder does not exist, but things are declared in it; to take them back, make it and leave it empty")
      ])
    }
    try await coordinator.declare(declarations)
    state.withLock { $0.trouble = nil }
    let counts = declarations.counts
    return ReloadReport(
      files: files, operators: counts.operators, servers: counts.servers, relays: counts.relays)
  }

  /// What the files say, without a daemon.
  static func read(_ folder: DeclarationFolder) throws(BatonError) -> (files: Int, declarations: Declarations) {
    let reader = DeclarationReader(
      addressing: [NostrAddressing(), SimpleXAddressing()],
      servers: SimpleXServers(group: MultiThreadedEventLoopGroup.singleton, now: { 0 }),
      time: { RFC3339.milliseconds($0).map(Timestamp.init(milliseconds:)) })
    do {
      return try folder.load(reader)
    } catch {
      throw .invalidFiles(error.flaws)
    }
  }
}
