internal import Foundation
internal import Glibc
package import Storage

/// Files in the state directory: only their owner can use them, and they are never opened through a link that someone may have placed.
package enum PrivateFile {
  /// Creates a new file, with its final permissions from the start.
  /// - Returns: its descriptor, which the caller must close.
  package static func make(_ path: String) throws(StoreError) -> CInt {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError("cannot make \(path)", errno: errno) }
    return descriptor
  }

  /// Creates a folder, and the folders above it that are missing.
  package static func makeFolder(_ path: String, mode: UInt32 = 0o700) throws(StoreError) {
    var number = mkdir(path, mode) == 0 ? 0 : errno
    let above = (path as NSString).deletingLastPathComponent
    if number == ENOENT, !above.isEmpty {
      try makeFolder(above, mode: mode)
      number = mkdir(path, mode) == 0 ? 0 : errno
    }
    guard number == 0 || number == EEXIST else { throw StoreError("cannot make the folder \(path)", errno: number) }
  }

  /// Writes a new file completely before anything relies on it.
  static func write(_ bytes: some ContiguousBytes, to path: String) throws(StoreError) {
    unlink(path)
    let descriptor = try make(path)
    defer { Glibc.close(descriptor) }
    let trouble = bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno != EINTR { return errno }
        rest = rest.dropFirst(max(count, 0))
      }
      return fsync(descriptor) == 0 ? 0 : errno
    }
    guard trouble != 0 else { return }
    unlink(path)
    throw StoreError("cannot write \(path)", errno: trouble)
  }

  static func rename(_ path: String, to target: String) throws(StoreError) {
    guard Glibc.rename(path, target) == 0 else { throw StoreError("cannot write \(target)", errno: errno) }
    sync((target as NSString).deletingLastPathComponent)
  }

  /// Waits until a file or directory is on the disk.
  static func sync(_ path: String) {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    Glibc.close(descriptor)
  }

  /// Removes other users' permissions on a file, if it exists. It does not open the file: when a process closes any descriptor of a file,
  /// the kernel gives up all locks that the process has on it, including SQLite's. Another program that looks at the database would then
  /// believe that it is alone, and remove the log when it is done.
  static func close(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
    chmod(path, 0o600)
  }
}

extension StoreError {
  /// A system call on a file or a socket has failed.
  /// - Parameters:
  ///   - what: what could not be done, with the name of the object.
  ///   - number: the value of `errno`.
  package init(_ what: String, errno number: CInt) {
    self.init(Code(errno: number), "\(what): \(String(cString: strerror(number)))")
  }
}

extension StoreError.Code {
  /// The meaning of a value of `errno`. Only errors that a person must end are `notAccessible`: a full disk, or one that is read-only after
  /// a fault, may be mended while no one looks.
  package init(errno number: CInt) {
    switch number {
    case EACCES, EPERM, ENOENT, ENOTDIR, EISDIR, EEXIST, ELOOP, ENAMETOOLONG, ENOTSOCK: self = .notAccessible
    case EADDRINUSE: self = .inUse
    default: self = .inputOutput
    }
  }

  /// Why SQLite cannot open or write the database at `path`, which SQLite itself does not report.
  static func ofUnusable(_ path: String) -> Self {
    let folder = (path as NSString).deletingLastPathComponent
    guard access(folder, W_OK | X_OK) == 0 else { return Self(errno: errno) }
    for file in ["", "-wal", "-shm"].map({ path + $0 }) where access(file, R_OK | W_OK) != 0 {
      if errno != ENOENT || file == path { return Self(errno: errno) }
    }
    return .inputOutput
  }
}
