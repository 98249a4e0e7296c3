internal import Channels
internal import Foundation
internal import GRDB

// The key under which secrets are stored.
extension Store {
  /// Whether `box` opens what is sealed; so does any when nothing is.
  public func opens(_ box: SecretBox) throws -> Bool {
    try reading { pool in
      try pool.read { db in
        let sealed = try Self.sealed(db)
        return sealed.isEmpty || (try? box.open(sealed[0].bytes, name: sealed[0].name)) != nil
      }
    }
  }

  /// Whether anything is sealed.
  func hasSecrets() throws -> Bool { try reading { pool in try pool.read { db in try !Self.sealed(db).isEmpty } } }

  /// Seals all secrets of a database anew, while no daemon runs: those of identities and the passwords of servers.
  /// - Parameters:
  ///   - old: the file with the key that opens them; nil: the one in the state directory.
  ///   - new: the file with the key that will; nil: a new key, which takes the place of the one in the state directory.
  /// - Returns: how many secrets there are, and whether what was sealed with the old key is wiped from the file too.
  /// - Throws: `StoreError`; then all is as it was. `inUse` while a daemon runs; `wrongKey` when the old key is another one.
  public static func changeKey(
    directory: String, from old: String?, to new: String?
  ) throws -> (secrets: Int, isWiped: Bool) {
    guard FileManager.default.fileExists(atPath: directory + "/baton.db") else {
      throw StoreError(.notAccessible, "there is no database in \(directory)")
    }
    let store = try Store(directory: directory)
    defer {
      store.close()
      takeOwner(of: directory, directory + "/lock")
      for suffix in ["", "-wal", "-shm"] { takeOwner(of: directory, directory + "/baton.db" + suffix) }
    }
    let file = KeyFile(directory + "/identity.key")
    try file.settle(store)
    guard old != nil || file.exists else {
      throw StoreError(.notAccessible, "there is no \(file.path): say with --from where the present key is")
    }
    let before = try SecretBox(masterKey: KeyFile.read(old ?? file.path, isForeign: old != nil))
    let after = try new.map { try SecretBox(masterKey: KeyFile.read($0, isForeign: true)) } ?? file.prepare()
    let count: Int
    do { count = try store.reseal(from: before, to: after) } catch {
      if new == nil, (try? store.opens(before)) == true || (try? store.opens(after)) == false { file.dropNew() }
      throw error
    }
    if new == nil { try file.put() }
    // From here on the new key is the one. Wiping needs room for a second database, and may fail.
    return (count, (try? store.pool.vacuum()) != nil)
  }

  /// In one transaction.
  private func reseal(from old: SecretBox, to new: SecretBox) throws -> Int {
    try reading { pool in
      try pool.write { db in
        let sealed = try Self.sealed(db)
        for secret in sealed {
          let bytes = try new.seal(try old.open(secret.bytes, name: secret.name), name: secret.name)
          try db.execute(sql: secret.update, arguments: [Data(bytes), secret.id])
        }
        return sealed.count
      }
    }
  }

  private struct Sealed {
    let id: Int64
    let name: String
    let bytes: [UInt8]
    /// Takes the new bytes and the id.
    let update: String
  }

  private static func sealed(_ db: Database) throws -> [Sealed] {
    let identities = try Row.fetchAll(db, sql: "SELECT id, name, sealed_key FROM identities WHERE NOT removed ORDER BY id").map
    {
      Sealed(id: $0[0], name: $0[1], bytes: Array($0[2] as Data), update: "UPDATE identities SET sealed_key = ? WHERE id = ?")
    }
    let servers = try Row.fetchAll(
      db, sql: "SELECT id, address, sealed_password FROM servers WHERE sealed_password IS NOT NULL ORDER BY id"
    ).map {
      Sealed(
        id: $0[0], name: SecretBox.label(ofServer: $0[1]), bytes: Array($0[2] as Data),
        update: "UPDATE servers SET sealed_password = ? WHERE id = ?")
    }
    return identities + servers
  }
}
