internal import Foundation
internal import Logging
internal import PostgreSQLStore
internal import Storage
internal import Store
internal import UnixSignals

/// Steps of a daemon with a shared store before it serves.
enum SharedStart {
  /// Warns that channels in an earlier file are not used.
  static func warnOfOwnStore(in directory: String, _ logger: Logger) {
    let path = directory + "/baton.db"
    guard FileManager.default.fileExists(atPath: path) else { return }
    logger.warning("\(path) is not used while 'store' is set. If it contains channels, no daemon acts for them")
  }

  /// Runs a task that may never end, until a signal to stop arrives.
  /// - Returns: `nil` after a signal.
  static func whileNotStopped<T: Sendable>(
    _ body: @escaping @Sendable () async throws -> T
  ) async throws -> T? {
    // The signals of `Service.run` are needed for serving: a sequence ends when a task stops waiting for it.
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    return try await withThrowingTaskGroup(of: T?.self) { tasks in
      tasks.addTask { try await body() }
      tasks.addTask {
        for await _ in signals { break }
        return nil
      }
      defer { tasks.cancelAll() }
      return try await tasks.next() ?? nil
    }
  }

  /// The key for the secrets of a shared store, which all its daemons use. A new key is created only if nothing is sealed yet. It is
  /// checked that a key opens the stored secrets before anything is written.
  static func secrets(of store: SharedStore, in directory: String) async throws -> SecretBox {
    if let box = try SecretBox.ofService() { return box }
    let file = KeyFile(directory + "/identity.key")
    let identities = try await store.identities().map { SealedSecret(identity: $0.name, on: $0.network, $0.sealedKey) }
    let servers = try await store.servers().compactMap { server in
      server.sealedPassword.map { SealedSecret(server: server.address, $0) }
    }
    let sealed = identities + servers
    // A change of the key may have been interrupted.
    try file.settle(hasSecrets: !sealed.isEmpty, opens: sealed.areOpened)
    guard file.exists || sealed.isEmpty else {
      throw StoreError(
        .wrongKey,
        "the key file \(file.path) is missing, and the stored secrets need its key. Copy identity.key from a daemon that shares this "
          + "database, or provide the key as the credential identity.key")
    }
    return try file.box()
  }
}
