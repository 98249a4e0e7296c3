internal import ArgumentParser
internal import Foundation
internal import PostgreSQL
internal import PostgreSQLStore
internal import Storage
internal import Store

struct RotateKey: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate-key",
    abstract: "Encrypts the stored keys of identities and passwords of servers with another key.",
    discussion: """
      Works only while the daemon is stopped. Without options a new key replaces the one in identity.key. With --to the new key is the one \
      in FILE, 32 bytes or 64 hexadecimal digits, and identity.key stays as it is: use this for a key that systemd will hold, see \
      LoadCredential= in batond(8). With 'store', all daemons that share the database must be stopped, and need the new key afterwards. Copies \
      of the database from before need the old key. Run it as root or as the user of the daemon.
      """)

  @OptionGroup var common: CommonOptions
  @Option(help: "The file with the present key. Default: identity.key in the state directory.") var from: String?
  @Option(help: "The file with the new key. Default: a new key is generated.") var to: String?

  func run() async throws {
    let settings = try await common.settings()
    do {
      // The keys are read first, because the right to read them may be given up below.
      let old = try from.map(SecretBox.atCredential)
      let new = try to.map(SecretBox.atCredential)
      try StateOwner.become(of: settings.stateDirectory)
      if let database = settings.database { return try await rotate(database, settings.stateDirectory, from: old, to: new) }
      let (count, isWiped) = try Store.changeKey(directory: settings.stateDirectory, from: old, to: new)
      print("Encrypted \(count) \(count == 1 ? "secret" : "secrets") in \(settings.stateDirectory)/baton.db with the new key.")
      if !isWiped {
        print("Data encrypted with the old key may still be in the file: there was no room to rewrite the file.")
      }
      if let to {
        print(
          "The daemon now needs the key in \(to) as its credential identity.key, or as identity.key in its state directory."
        )
      }
    } catch let error as StoreError {
      FileHandle.standardError.write(Data("batond: \(error)\n".utf8))
      throw ExitCode(ExitStatus.of(error))
    }
  }

  private func rotate(
    _ database: PostgreSQLAddress, _ directory: String, from old: SecretBox?, to new: SecretBox?
  ) async throws {
    let file = KeyFile(directory + "/identity.key")
    let (count, kept) = try await SharedKey.change(in: database, file, from: old, to: new)
    print("Encrypted \(count) \(count == 1 ? "secret" : "secrets") in the database with the new key.")
    if let kept { print("The old key is now \(kept): copies of the database need it, and a baton.db from before.") }
    if let to {
      print(
        "All daemons now need the key in \(to) as their credential identity.key, or as identity.key in their state directory."
      )
    } else {
      print("Before other daemons start, give them the key too: it is in \(file.path).")
    }
  }
}
