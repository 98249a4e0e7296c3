internal import ArgumentParser
internal import Foundation
internal import PostgreSQL
internal import PostgreSQLStore
internal import RelayNetwork
internal import Storage
internal import Store

struct CopyStore: AsyncParsableCommand {
  /// The place of the data after the copy.
  enum Goal: String, ExpressibleByArgument, CaseIterable {
    case database, file
  }

  static let configuration = CommandConfiguration(
    commandName: "copy-store",
    abstract: "Copies all channels from the file into the PostgreSQL database that 'store' names, or back.",
    discussion: """
      Works only while no daemon uses either. --to database copies baton.db of the state directory into an empty database, and \
      --to file copies the database into a new baton.db. The source is unchanged, and the copy is read back and \
      compared, by the number of rows and a checksum for each table. Ids, revisions, history and the key remain the same: \
      wherever a daemon runs, it needs the same identity.key. Never let daemons run with both. Run it as root, and it continues as the owner of \
      the state directory, or as the user of the daemon.
      """)

  @OptionGroup var common: CommonOptions
  @Option(help: "database or file.") var to: Goal
  @Option(help: "The file with the key. Default: identity.key in the state directory.") var key: String?

  func run() async throws {
    let settings = try await common.settings()
    do {
      guard let address = settings.database else {
        throw ConfigurationError(problems: [
          FileFlaw(
            file: "store", line: nil, column: nil,
            text: "no database is named: write its address into the configuration as 'store: postgresql://…' first")
        ])
      }
      let directory = settings.stateDirectory
      // The key is read first, because the right to read it may be given up below.
      let box = try key.map(SecretBox.atCredential) ?? SecretBox.ofService()
      try StateOwner.become(of: directory)
      switch to {
      case .database: try await copyIntoDatabase(address, directory, box)
      case .file: try await copyIntoFile(address, directory, box)
      }
    } catch  where error is StoreError || error is ConfigurationError {
      FileHandle.standardError.write(Data("batond: \(error)\n".utf8))
      throw ExitCode(ExitStatus.of(error))
    }
  }

  private func copyIntoDatabase(_ address: PostgreSQLAddress, _ directory: String, _ box: SecretBox?) async throws {
    guard FileManager.default.fileExists(atPath: directory + "/baton.db") else {
      throw StoreError(.notAccessible, "there is no database in \(directory)")
    }
    let store = try Store(directory: directory)
    defer { store.close() }
    // Secrets of an older version are sealed again, which also proves that the key is the right one.
    if let box { try store.unlock(box) } else { _ = try KeyFile(directory + "/identity.key").box(for: store) }
    try await StoreCopy(address).intoDatabase(from: store, tell: Self.tell)
    print(
      "Copied \(directory)/baton.db into the database. The file is not used as long as 'store' is set. identity.key opens both."
    )
  }

  private func copyIntoFile(_ address: PostgreSQLAddress, _ directory: String, _ box: SecretBox?) async throws {
    guard FileManager.default.fileExists(atPath: directory) else {
      throw StoreError(
        .notAccessible, "there is no state directory \(directory). Make it, and let it belong to the user of the daemon")
    }
    let file = KeyFile(directory + "/identity.key")
    try await Store.make(in: directory) { store in
      try await StoreCopy(address).intoFile(store, tell: Self.tell)
      if let box { try store.unlock(box) } else if file.exists { _ = try file.box(for: store) }
    }
    if box == nil, !file.exists { print("There is no \(file.path): the daemon needs the key that all daemons had.") }
    print("Copied the database into \(directory)/baton.db. Take 'store' out of the configuration before the daemon starts.")
  }

  private static func tell(_ table: String, _ rows: Int) {
    print("\(table): \(rows) \(rows == 1 ? "row" : "rows"), verified")
  }
}
