internal import CPages

/// The files that are compiled into the program: templates, styles, scripts, an interface.
enum PageFiles {
  struct File {
    /// The folder and the name, such as `assets/icon.svg`.
    let path: String
    let bytes: [UInt8]
    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  static let all: [File] = sequence(state: 0) { index in
    defer { index += 1 }
    return page_file(index).map { file in
      File(
        path: String(cString: file.pointee.name),
        bytes: Array(UnsafeRawBufferPointer(start: file.pointee.text, count: file.pointee.count)))
    }
  }.map { $0 }

  /// - Returns: an empty file if it does not exist, which tests notice.
  static subscript(path: String) -> File { all.first { $0.path == path } ?? File(path: path, bytes: []) }
}
