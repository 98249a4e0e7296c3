internal import Foundation
internal import Glibc
package import Storage

/// Files in the state directory: only their owner can use them, and they are never opened through a link that somebody may have placed.
package enum PrivateFile {
  /// Creates a new file, with its final permissions from the start.
  /// - Returns: its descriptor, which the caller must close.
  package static func make(_ path: String) throws(StoreError) -> CInt {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(.notAccessible, "cannot make \(path): \(String(cString: strerror(errno)))") }
    return descriptor
  }

  /// Writes a new file completely before anything relies on it.
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

  /// Removes the permissions of others on a file, if it exists. It does not open the file: when a process closes any descriptor of a file,
  /// the kernel gives up all locks that the process has on it, those of SQLite too. Then another program that looks at the database takes
  /// itself for the only one, and removes the log when it is done.
  static func close(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
    chmod(path, 0o600)
  }
}
