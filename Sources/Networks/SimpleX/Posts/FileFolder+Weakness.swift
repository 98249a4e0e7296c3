internal import Glibc
public import RelayNetwork

extension FileFolder {
  /// The reason why someone else could have another file sent: a symbolic link on the way to a file, or a folder that others can write to.
  /// - Parameters:
  ///   - file: a file below the folder, or `nil` for the folder itself.
  ///   - user: the user who may own folders, besides root, or `nil` for the user of this process.
  /// - Returns: a sentence without its full stop. `nil` if there is no weakness, or no such file.
  public func weakness(onTheWayTo file: FileAddress? = nil, user: UInt32? = nil) -> String? {
    let owners = [0, user ?? geteuid()]
    var way = ""
    // No one else can change the target of a part, because they cannot write to the folders before it. So it is the same when the core,
    // which accepts only paths, opens the file.
    for part in (file?.path ?? path).unicodeScalars.split(separator: "/") {
      way += "/\(String(part))"
      var status = stat()
      guard lstat(way, &status) == 0 else {
        return errno == ENOENT ? nil : "cannot examine \(way): \(String(cString: strerror(errno)))"
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        guard owners.contains(status.st_uid) else {
          return "\(way) belongs to another user than root and the daemon's user, who could put links to other files there"
        }
        // In a folder such as /tmp others can make files, but cannot replace files of root and the daemon.
        let isAbove = way.utf8.count < path.utf8.count && status.st_mode & S_ISVTX != 0
        guard isAbove || status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
          return "others can write to \(way), and could put links to other files there: run chmod go-w"
        }
      case S_IFREG where way.utf8.elementsEqual(file?.path.utf8 ?? "".utf8): break
      case S_IFLNK:
        return
          "\(way) is a symbolic link, which may lead to any file: put the file itself there, or name the folder without links"
      default: return "\(way) is not a folder, or not a plain file"
      }
    }
    return nil
  }
}
