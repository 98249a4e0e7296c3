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
    let bytes: [UInt8]
    let label: String
    /// Its name, for people.
    let title: String
  }

  /// Seals all secrets again, while no daemon uses the database.
  /// - Parameters:
  ///   - file: the key file of this machine.
  ///   - old: opens the secrets; `nil` for the key in the file.
  ///   - new: will open them; `nil` for a new key, which takes the place of the one in the file.
  ///   - schema: PostgreSQL's schema with the tables.
  /// - Returns: how many secrets there are, and where the old key is kept if the file got a new one: copies of the database need it.
  /// - Throws: `StoreError`; then nothing has changed, unless it says something else. If that is not known, the next start on this machine
  ///   finds out which key is the right one, and so does another change.
  public static func change(
    in address: PostgreSQLAddress, schema: String = DatabaseSchema.name, _ file: KeyFile, from old: SecretBox?,
    to new: SecretBox?
  ) async throws -> (secrets: Int, oldKey: String?) {
    // Nobody else changes the key of this machine meanwhile.
    try await Store.alone(in: (file.path as NSString).deletingLastPathComponent) {
      try await changeAlone(IdleDatabase(address: address, schema: schema), file, from: old, to: new)
    }
  }

  private static func changeAlone(
    _ database: IdleDatabase, _ file: KeyFile, from old: SecretBox?, to new: SecretBox?
  ) async throws -> (secrets: Int, oldKey: String?) {
    let count = try await database.use(makesTables: false) { connection in
      let sealed = try await all(connection)
      let (before, after) = try keys(file, sealed, from: old, to: new)
      for one in sealed {
        let again = try after.seal(before.open(one.bytes, label: one.label), label: one.label)
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
        "the secrets are encrypted with the new key, but it cannot take its place: \(error); it is in \(file.path).new")
    }
  }

  private static func keys(
    _ file: KeyFile, _ sealed: [Sealed], from old: SecretBox?, to new: SecretBox?
  ) throws -> (before: SecretBox, after: SecretBox) {
    func opens(_ box: SecretBox) -> Bool { sealed.allSatisfy { (try? box.open($0.bytes, label: $0.label)) != nil } }
    // An earlier attempt got as far as that.
    if let new, !sealed.isEmpty, opens(new) { return (new, new) }
    if let old, opens(old) {
      try file.setNewAside()
    } else {
      try file.settle(hasSecrets: !sealed.isEmpty, opens: opens)
    }
    guard old != nil || file.exists else {
      throw StoreError(.notAccessible, "there is no \(file.path): say with --from where the present key is")
    }
    let before = try old ?? file.box()
    for one in sealed where (try? before.open(one.bytes, label: one.label)) == nil {
      throw StoreError(
        .wrongKey, "the secret of \(one.title) does not open with this master key: it was stored with another one")
    }
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
          .incompatible, "the identity '\(name)' is on a network that this version does not know; nothing was changed")
      }
      found.append(
        Sealed(
          table: "identities", id: rows[0].int(row, 0) ?? 0, column: "sealed_key", bytes: rows[0].bytes(row, 3) ?? [],
          label: SecretBox.label(ofIdentity: name, on: network), title: "the identity '\(name)'"))
    }
    for row in 0..<rows[1].count {
      let address = rows[1].text(row, 1) ?? ""
      found.append(
        Sealed(
          table: "servers", id: rows[1].int(row, 0) ?? 0, column: "sealed_password", bytes: rows[1].bytes(row, 2) ?? [],
          label: SecretBox.label(ofServer: address), title: "the server \(address)"))
    }
    return found
  }
}
