internal import Foundation
internal import GRDB
internal import Storage

/// The sum that every row that matters carries, so that a changed byte is noticed when the row is read.
///
/// Each word of eight bytes is mixed in with a step that loses nothing, so a change within one word always gives another sum. Any other
/// change goes unnoticed once in 2^64. It protects from faults of disks and memory, not from people who can write the file.
struct RowSum {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  private mutating func mix(_ word: UInt64) {
    state = (state ^ word) &* 0x9FB2_1C65_1E98_DF25
    state ^= state >> 32
  }

  private mutating func mix(_ bytes: UnsafeRawBufferPointer) {
    mix(UInt64(bytes.count))
    let whole = bytes.count & ~7
    for offset in stride(from: 0, to: whole, by: 8) {
      mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    guard whole < bytes.count else { return }
    var last: UInt64 = 0
    for offset in whole..<bytes.count { last = last << 8 | UInt64(bytes[offset]) }
    mix(last)
  }

  mutating func addNull() { mix(1) }

  mutating func add(_ number: Int64) {
    mix(2)
    mix(UInt64(bitPattern: number))
  }

  mutating func add(_ number: Double) {
    mix(3)
    mix(number.bitPattern)
  }

  /// - Parameter text: the text in UTF-8.
  mutating func add(text: UnsafeRawBufferPointer) {
    mix(4)
    mix(text)
  }

  mutating func add(blob: UnsafeRawBufferPointer) {
    mix(5)
    mix(blob)
  }

  mutating func add(_ value: DatabaseValue) {
    switch value.storage {
    case .null: addNull()
    case .int64(let number): add(number)
    case .double(let number): add(number)
    case .string(var text): text.withUTF8 { add(text: UnsafeRawBufferPointer($0)) }
    case .blob(let data): data.withUnsafeBytes { add(blob: $0) }
    }
  }

  /// The sum as SQLite stores it.
  var value: Int64 { Int64(bitPattern: state) }

  /// The sum over all columns of a row except the sum itself, in the order of the table.
  static func of(_ values: some Sequence<DatabaseValue>) -> Int64 {
    var sum = RowSum()
    for value in values { sum.add(value) }
    return sum.value
  }

  /// The same sum for SQL: `row_sum(column, …)`.
  static let function = DatabaseFunction("row_sum", pure: true) { of($0) }
}

/// A table whose rows carry a sum, in its last column.
package struct SummedTable: Sendable {
  package let name: String
  /// Its first columns, which identify its rows and give their order.
  package let key: [String]
  /// Its columns except the sum, in the table's order.
  package let columns: [String]

  /// A name of a row, for people: "channel 7".
  let title: @Sendable (Row) -> String

  let selection: String
  let insertion: RowStatement
  /// Inserts a row, or replaces the row with the same key.
  let upsertion: RowStatement
  /// Replaces an existing row.
  let replacement: RowStatement
  /// SQL for the sum of a row in its current state.
  let expression: String

  init(name: String, key: [String], columns: [String], title: @escaping @Sendable (Row) -> String) {
    self.name = name
    self.key = key
    self.columns = columns
    self.title = title
    selection = "SELECT * FROM \(name)"
    expression = "row_sum(\(columns.joined(separator: ", ")))"
    insertion = .inserting(into: name, columns)
    upsertion = .upserting(into: name, columns, key: key)
    replacement = .updating(name, columns, key: key, setting: columns.filter { !key.contains($0) })
  }

  /// - Parameter isEarlier: whether the row is one of an earlier schema, which had fewer columns.
  /// - Throws: `StoreError.corrupt` that names the row, when it was changed on the disk.
  func verify(_ row: Row, ofEarlierSchema isEarlier: Bool = false) throws {
    let values = row.databaseValues
    guard isEarlier || values.count == columns.count + 1,
      values.last?.storage == RowSum.of(values.dropLast()).databaseValue.storage
    else {
      throw changed(row)
    }
  }

  /// The error for a row that was changed on the disk.
  func changed(_ row: Row) -> StoreError {
    StoreError(.corrupt, "\(title(row)) was changed on the disk: its checksum is wrong")
  }

  /// The row, once its sum is verified.
  func verified(_ row: Row) throws -> Row {
    try verify(row)
    return row
  }

  /// A number of a row whose bytes cannot be trusted.
  static func number(_ row: Row, _ column: String) -> String {
    Int64.fromDatabaseValue(row[column] as DatabaseValue).map(String.init) ?? "?"
  }

  package static let settings = SummedTable(name: "settings", key: ["key"], columns: ["key", "value"]) {
    "the setting '\(String.fromDatabaseValue($0["key"] as DatabaseValue)?.prefix(40) ?? "?")'"
  }
  package static let operators = SummedTable(
    name: "operators", key: ["id"],
    columns: [
      "id", "name", "legal_name", "domains", "enabled", "deleted", "smp_storage", "smp_proxy", "smp_names", "xftp_storage",
      "xftp_proxy", "conditions_accepted_at", "preset", "undeclared", "declared_in", "declaration", "revision",
    ]
  ) { "operator \(number($0, "id"))" }
  package static let servers = SummedTable(
    name: "servers", key: ["id"],
    columns: [
      "id", "transport", "address", "fingerprint", "hosts", "port", "sealed_password", "operator_id", "operator_assigned",
      "enabled",
      "deleted", "storage", "proxy", "names", "tested", "tested_at", "fully_tested_at", "health", "health_since", "last_error",
      "fault",
      "round_trip_ms", "failures", "failed_at", "preset", "undeclared", "declared_in", "declaration", "revision",
    ]
  ) { "server \(number($0, "id"))" }
  package static let relays = SummedTable(
    name: "relays", key: ["id"],
    columns: [
      "id", "network", "address", "name", "operator_id", "enabled", "preset", "deleted", "tested", "tested_at", "health",
      "health_since", "last_error", "round_trip_ms", "revision", "host", "comparison_key", "domains", "operator_assigned",
      "profile",
      "capabilities", "fully_tested_at", "fault", "failures", "failed_at", "undeclared", "declared_in", "declaration",
    ]
  ) { "relay \(number($0, "id"))" }
  package static let identities = SummedTable(
    name: "identities", key: ["id"],
    columns: ["id", "name", "network", "public_key", "sealed_key", "created_at", "removed"]
  ) { "identity \(number($0, "id"))" }
  package static let channels = SummedTable(
    name: "channels", key: ["id"],
    columns: [
      "id", "kind", "network", "identity_id", "display_name", "full_name", "description", "image", "preferences", "network_id",
      "author", "document", "wanted_relays", "heal", "custom", "idempotency_key", "created_at", "updated_at", "deleted_at",
      "revision",
      "edition", "notice_id", "notice", "notice_at", "listed", "notice_earlier", "relay_count", "request_digest", "key_salt",
      "muted", "pinned", "frozen", "truncated_at", "followed", "follow_days", "follow_count", "follow_keep",
    ]
  ) { "channel \(number($0, "id"))" }
  package static let channelRelays = SummedTable(
    name: "channel_relays", key: ["channel_id", "relay_id"],
    columns: [
      "channel_id", "relay_id", "position", "status", "since", "operation", "relay_link", "cause", "detail", "task", "attempt",
      "started_at", "under_way", "timer_at", "check_due", "shown",
    ]
  ) { "relay \(number($0, "relay_id")) of channel \(number($0, "channel_id"))" }
  package static let transitions = SummedTable(
    name: "transitions", key: ["revision"],
    columns: ["revision", "channel_id", "relay_id", "from_status", "to_status", "cause", "detail", "attempt", "at"]
  ) { "the transition of revision \(number($0, "revision"))" }
  package static let changes = SummedTable(
    name: "changes", key: ["revision"], columns: ["revision", "at", "channel_id", "relay_id", "operator_id", "server_id"]
  ) { "the change of revision \(number($0, "revision"))" }
  package static let health = SummedTable(
    name: "health_changes", key: ["revision"],
    columns: ["revision", "relay_id", "server_id", "from_health", "to_health", "cause", "detail", "at"]
  ) { "the change of health of revision \(number($0, "revision"))" }
  package static let decisions = SummedTable(
    name: "decisions", key: ["revision"], columns: ["revision", "kind", "channel_id", "name", "at", "network_id"]
  ) { "the decision of revision \(number($0, "revision"))" }

  package static let all = [
    settings, operators, servers, relays, identities, channels, channelRelays, transitions, changes, posts, deliveries,
    postRoutes, postTransitions, postRetention, health, decisions,
  ]
}
