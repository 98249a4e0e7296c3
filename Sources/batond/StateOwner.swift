internal import Foundation
internal import Glibc
internal import Storage
internal import Store

/// Makes root continue as the owner of the state directory, so that files that the daemon's user may have put there, above all links, give
/// no one more rights than that user has.
enum StateOwner {
  /// Gives up root's rights for the rest of the program, if `directory` belongs to another user.
  static func become(of directory: String) throws(StoreError) {
    guard geteuid() == 0 else { return }
    var status = stat()
    guard stat(directory, &status) == 0, status.st_uid != 0 else { return }
    guard setgroups(0, nil) == 0, setgid(status.st_gid) == 0, setuid(status.st_uid) == 0, setuid(0) != 0 else {
      throw StoreError("cannot become the owner of \(directory)", errno: errno)
    }
    // libpq would look there for certificates and passwords, which the new user may not read. Without it, the new user's home counts.
    unsetenv("HOME")
  }
}

/// A copy of the database that was opened while this was still permitted.
struct OpenedCopy {
  private let path: String
  private let file: FileHandle?
  /// The log of the copy, if it has one.
  private let log: FileHandle?

  init(_ path: String) {
    self.path = path
    file = FileHandle(forReadingAtPath: path)
    log = FileHandle(forReadingAtPath: path + "-wal")
  }

  /// Calls `body` with a path under which the copy is readable: its own, or else the path of a temporary copy in `directory`, which is
  /// removed afterwards.
  func readable<T>(in directory: String, _ body: (String) throws(StoreError) -> T) throws(StoreError) -> T {
    guard access(path, R_OK) != 0, let file else { return try body(path) }
    let own = Store.pathOfCopy(in: directory)
    defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(own + suffix) } }
    try Self.write(file, to: own)
    if let log { try Self.write(log, to: own + "-wal") }
    return try body(own)
  }

  private static func write(_ source: FileHandle, to path: String) throws(StoreError) {
    let target = FileHandle(fileDescriptor: try PrivateFile.make(path), closeOnDealloc: true)
    do {
      while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty { try target.write(contentsOf: piece) }
    } catch {
      throw StoreError(.inputOutput, "cannot write \(path): \(error.localizedDescription)")
    }
  }
}
