internal import Foundation
internal import Glibc
internal import StrictJSON

/// The file `baton.state` beside the database. It says which database belongs there and how far that was at least, so that a database
/// that was lost, emptied or set back is not taken for a new one.
struct StateMark: Hashable, Sendable {
  /// Drawn when the database was made.
  var database: String
  /// Grows with each start and each time the log was written back. The database holds the same number, or a higher one.
  var generation: Int64

  static let name = "baton.state"

  /// - Returns: nil when there is no such file.
  /// - Throws: `StoreError.corrupt` when it is not what `write` wrote.
  static func read(in directory: String) throws -> StateMark? {
    let path = "\(directory)/\(name)"
    guard let data = FileManager.default.contents(atPath: path) else {
      guard access(path, F_OK) != 0 else { throw StoreError(.notAccessible, "cannot read \(path)") }
      return nil
    }
    guard let json = try? JSONParser.parse(String(decoding: data, as: UTF8.self)), let database = json["database"]?.string,
      let generation = json["generation"]?.integer
    else {
      throw StoreError(
        .corrupt,
        "\(path) is damaged: it says which database belongs there. If \(directory)/baton.db is the right one, remove \(name)")
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

/// Files in the state directory: for their owner only, never through a link that somebody may have laid.
enum PrivateFile {
  /// Makes a file anew, with its final permissions from the start.
  /// - Returns: its descriptor, which is the caller's to close.
  static func make(_ path: String) throws -> CInt {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(.notAccessible, "cannot make \(path): \(String(cString: strerror(errno)))") }
    return descriptor
  }

  /// Writes a new file to the end before anybody relies on it.
  static func write(_ bytes: some DataProtocol, to path: String) throws {
    unlink(path)
    let handle = FileHandle(fileDescriptor: try make(path), closeOnDealloc: true)
    do {
      try handle.write(contentsOf: bytes)
      try handle.synchronize()
    } catch {
      unlink(path)
      throw StoreError(.notAccessible, "cannot write \(path): \(error.localizedDescription)")
    }
  }

  static func rename(_ path: String, to target: String) throws {
    guard Glibc.rename(path, target) == 0 else {
      throw StoreError(.notAccessible, "cannot write \(target): \(String(cString: strerror(errno)))")
    }
    sync((target as NSString).deletingLastPathComponent)
  }

  /// Waits until a file or directory is on the disk.
  static func sync(_ path: String) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    Glibc.close(descriptor)
  }

  /// Takes away what others may do with a file, if it is there.
  static func close(_ path: String) {
    let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { Glibc.close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & 0o077 != 0 else { return }
    fchmod(descriptor, 0o600)
  }
}
