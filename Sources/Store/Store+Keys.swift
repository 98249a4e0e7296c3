internal import Channels
internal import Foundation
internal import GRDB
internal import Secrets
public import Storage

// The key under which secrets are stored.
extension Store {
  /// Whether `box` opens everything that is sealed. Any box does if nothing is sealed.
  public func opens(_ box: SecretBox) throws -> Bool {
    try reading { pool in
      try pool.read { db in try Self.sealed(db).allSatisfy { (try? $0.open(with: box)) != nil } }
    }
  }

  /// Whether anything is sealed.
  func hasSecrets() throws -> Bool { try reading { pool in try pool.read { db in try !Self.sealed(db).isEmpty } } }

  /// Makes sure that `box` opens everything that is sealed, before anything else is sealed with it, and seals again the secrets that an
  /// older version sealed.
  /// - Throws: `StoreError.wrongKey` that names the first secret that does not open. Then nothing was changed.
  public func unlock(_ box: SecretBox) throws {
    let isOld = try reading { pool in
      try pool.read { db in
        for secret in try Self.sealed(db) { _ = try secret.open(with: box) }
        return try Self.setting(Self.sealingKey, db) != Self.sealingNow
      }
    }
    if isOld { _ = try reseal(from: box, to: box) }
  }

  /// Seals all secrets of a database again, while no daemon runs: the keys of identities and the passwords of servers.
  /// - Parameters:
  ///   - old: opens them. `nil` for the key in the state directory.
  ///   - new: will open them. `nil` for a new key, which replaces the key in the state directory.
  /// - Returns: how many secrets there are, and whether the secrets sealed with the old key were wiped from the file too.
  /// - Throws: `StoreError`: `inUse` while a daemon runs, `wrongKey` when the old key is a different one. Nothing has changed then.
  public static func changeKey(
    directory: String, from old: SecretBox?, to new: SecretBox?
  ) throws -> (secrets: Int, isWiped: Bool) {
    guard FileManager.default.fileExists(atPath: directory + "/baton.db") else {
      throw StoreError(.notAccessible, "there is no database in \(directory)")
    }
    let store = try Store(directory: directory)
    defer { store.close() }
    let file = KeyFile(directory + "/identity.key")
    try file.settle(store)
    guard old != nil || file.exists else {
      throw StoreError(.notAccessible, "\(file.path) is missing: pass the present key with --from")
    }
    let before = try old ?? file.box()
    let after = try new ?? file.prepare()
    let count: Int
    do { count = try store.reseal(from: before, to: after) } catch {
      if new == nil, (try? store.opens(before)) == true || (try? store.opens(after)) == false { file.dropNew() }
      throw error
    }
    if new == nil { try file.put() }
    // From here on the new key is in force. Wiping needs room for a second database, and may fail.
    return (count, (try? store.open.vacuum()) != nil)
  }

  /// Seals all secrets again in one transaction.
  private func reseal(from old: SecretBox, to new: SecretBox) throws -> Int {
    try reading { pool in
      try pool.write { db in
        let sealed = try Self.sealed(db)
        for one in sealed { try one.store(new.seal(try one.open(with: old), label: one.secret.label), db) }
        try Self.put(Self.sealingKey, Self.sealingNow, db)
        return sealed.count
      }
    }
  }

  /// The setting with the way in which secrets are sealed.
  static let sealingKey = "sealing"
  static let sealingNow = "2"

  /// One sealed secret of a database.
  struct Sealed {
    let table: SummedTable
    let row: [DatabaseValue]
    /// The column of the secret.
    let column: String
    let secret: SealedSecret
    /// The label under which an older version sealed it, or `nil` without one.
    let oldLabel: String?

    /// - Throws: `StoreError.wrongKey` that names the secret.
    func open(with box: SecretBox) throws -> Secret {
      guard let oldLabel else { return try secret.open(with: box) }
      return try secret.open { try box.openOld(secret.bytes, label: oldLabel) }
    }

    /// Replaces the stored secret.
    func store(_ new: [UInt8], _ db: Database) throws {
      var values = row
      guard let index = table.columns.firstIndex(of: column) else { return }
      values[index] = Data(new).databaseValue
      try Store.replace(table, values, db)
    }
  }

  static func sealed(_ db: Database) throws -> [Sealed] {
    let isSummed = try db.columns(in: "identities").contains { $0.name == "sum" }
    let isOld = try !isSummed || setting(sealingKey, db) != sealingNow
    var found: [Sealed] = []
    for row in try Row.fetchAll(db, sql: "SELECT * FROM identities WHERE NOT removed ORDER BY id") {
      if isSummed { try SummedTable.identities.verify(row) }
      let name: String = row["name"]
      guard let network = NetworkKind(rawValue: row["network"]) else { throw unreadable(.identities, row) }
      found.append(
        Sealed(
          table: .identities, row: Array(row.databaseValues.dropLast()), column: "sealed_key",
          secret: SealedSecret(identity: name, on: network, Array(row["sealed_key"] as Data)), oldLabel: isOld ? name : nil))
    }
    for row in try Row.fetchAll(db, sql: "SELECT * FROM servers WHERE sealed_password IS NOT NULL ORDER BY id") {
      if isSummed { try SummedTable.servers.verify(row) }
      let address: String = row["address"]
      found.append(
        Sealed(
          table: .servers, row: Array(row.databaseValues.dropLast()), column: "sealed_password",
          secret: SealedSecret(server: address, Array(row["sealed_password"] as Data)),
          oldLabel: isOld ? "server \(address)" : nil))
    }
    return found
  }
}
