internal import Foundation
internal import Glibc
internal import Storage
internal import StrictJSON

/// The file `baton.state` next to the database. It records which database belongs there and how far that was at least, so that a database
/// that was lost, emptied or set back does not pass for a new one.
struct StateMark: Hashable, Sendable {
  /// A number drawn at random when the database was created.
  var database: String
  /// A number that grows with each start and each time the log is written back. The database has the same number, or a higher one.
  var generation: Int64

  static let name = "baton.state"

  /// - Returns: `nil` if the file does not exist.
  /// - Throws: `StoreError.corrupt` when its content did not come from `write`.
  static func read(in directory: String) throws -> StateMark? {
    let path = "\(directory)/\(name)"
    guard let data = FileManager.default.contents(atPath: path) else {
      guard access(path, R_OK) != 0 else { throw StoreError(.inputOutput, "cannot read \(path)") }
      guard errno == ENOENT else { throw StoreError("cannot read \(path)", errno: errno) }
      return nil
    }
    guard let json = try? JSONParser.parse(String(decoding: data, as: UTF8.self)), let database = json["database"]?.string,
      let generation = json["generation"]?.integer
    else {
      throw StoreError(
        .corrupt,
        "\(path) is damaged: it identifies the database next to it. If \(directory)/baton.db is the right one, remove \(name)")
    }
    return StateMark(database: database, generation: generation)
  }

  /// Replaces the file and waits until that is on the disk.
  func write(in directory: String) throws {
    let text = JSONValue.object(["database": .string(database), "generation": .integer(generation)]).text + "\n"
    try PrivateFile.write(Array(text.utf8), to: "\(directory)/\(Self.name).new")
    try PrivateFile.rename("\(directory)/\(Self.name).new", to: "\(directory)/\(Self.name)")
  }
}
