internal import Channels
internal import Foundation
public import PostgreSQL
public import Storage
public import Store

/// The key under which the secrets of a store that several daemons share are sealed. All of them have the same.
public enum SharedKey {
  /// One sealed secret.
  private struct Sealed {
    let table: String
    let id: Int64
    let column: String
    let secret: SealedSecret
  }

  /// Seals all secrets again, while no daemon uses the database.
  /// - Parameters:
  ///   - file: the key file of this machine.
  ///   - old: opens the secrets. `nil` for the key in the file.
  ///   - new: will open them. `nil` for a new key, which replaces the key in the file.
  ///   - schema: PostgreSQL's schema with the tables.
  /// - Returns: how many secrets there are, and where the old key is kept if the file got a new one: copies of the database need it.
  /// - Throws: `StoreError`. Nothing has changed then, unless the error says otherwise. If that is not known, the next start on this
  ///   machine finds out which key is the right one, and so does another change.
  public static func change(
    in address: PostgreSQLAddress, schema: String = DatabaseSchema.name, _ file: KeyFile, from old: SecretBox?,
    to new: SecretBox?
  ) async throws -> (secrets: Int, oldKey: String?) {
    // No one else changes the key of this machine at the same time.
    try await Store.alone(in: (file.path as NSString).deletingLastPathComponent) {
      try await changeAlone(IdleDatabase(address: address, schema: schema), file, from: old, to: new)
    }
  }

  private static func changeAlone(
    _ database: IdleDatabase, _ file: KeyFile, from old: SecretBox?, to new: SecretBox?
  ) async throws -> (secrets: Int, oldKey: String?) {
    let count = try await database.use(makesTables: false) { connection in
      let sealed = try await all(connection)
      let (before, after) = try keys(file, sealed.map(\.secret), from: old, to: new)
      for one in sealed {
        let again = after.seal(try one.secret.open(with: before), label: one.secret.label)
        _ = try await connection.run(
          SQLStatement("UPDATE \(one.table) SET \(one.column) = $2 WHERE id = $1", [.int(one.id), .bytes(again)]),
          within: IdleDatabase.timeout)
      }
      return sealed.count
    }
    guard new == nil else { return (count, nil) }
    do { return (count, try file.putKeepingOld()) } catch {
      throw StoreError(
        .inputOutput,
        "the secrets are encrypted with the new key, but it cannot take its place: \(error). It is in \(file.path).new")
    }
  }

  private static func keys(
    _ file: KeyFile, _ sealed: [SealedSecret], from old: SecretBox?, to new: SecretBox?
  ) throws -> (before: SecretBox, after: SecretBox) {
    // An earlier attempt got as far as that.
    if let new, !sealed.isEmpty, sealed.areOpened(by: new) { return (new, new) }
    if let old, sealed.areOpened(by: old) {
      try file.setNewAside()
    } else {
      try file.settle(hasSecrets: !sealed.isEmpty, opens: sealed.areOpened)
    }
    guard old != nil || file.exists else {
      throw StoreError(.notAccessible, "\(file.path) is missing: pass the present key with --from")
    }
    let before = try old ?? file.box()
    for one in sealed { _ = try one.open(with: before) }
    return (before, try new ?? file.prepare())
  }

  private static func all(_ connection: PostgreSQLConnection) async throws -> [Sealed] {
    let rows = try await connection.run(
      [
        SQLStatement("SELECT id, name, network, sealed_key FROM identities WHERE removed = 0 ORDER BY id"),
        SQLStatement("SELECT id, address, sealed_password FROM servers WHERE sealed_password IS NOT NULL ORDER BY id"),
      ], within: IdleDatabase.timeout)
    var found: [Sealed] = []
    for row in 0..<rows[0].count {
      let name = rows[0].text(row, 1) ?? ""
      guard let network = NetworkKind(rawValue: rows[0].text(row, 2) ?? "") else {
        throw StoreError(
          .incompatible, "the identity '\(name)' is on a network that this version does not know, so nothing was changed")
      }
      found.append(
        Sealed(
          table: "identities", id: rows[0].int(row, 0) ?? 0, column: "sealed_key",
          secret: SealedSecret(identity: name, on: network, rows[0].bytes(row, 3) ?? [])))
    }
    for row in 0..<rows[1].count {
      found.append(
        Sealed(
          table: "servers", id: rows[1].int(row, 0) ?? 0, column: "sealed_password",
          secret: SealedSecret(server: rows[1].text(row, 1) ?? "", rows[1].bytes(row, 2) ?? [])))
    }
    return found
  }
}
