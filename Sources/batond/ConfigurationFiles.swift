internal import Foundation
internal import Glibc
internal import RelayNetwork

/// The files with options: the administrator's take precedence over the vendor's, and the files of a `.d` folder over the file to which
/// the folder belongs.
struct ConfigurationFiles: Sendable {
  struct File: Hashable, Sendable {
    let path: String
    /// Whether the file may be missing.
    let isOptional: Bool
  }

  static let defaultFile = "/etc/batond/batond.yaml"
  static let vendorFile = "/usr/lib/batond/batond.yaml"

  private let file: String
  private let isNamed: Bool
  private let vendorFile: String

  /// - Parameters:
  ///   - file: the administrator's file. `nil` stands for the default one if it exists.
  ///   - vendorFile: the file of the distribution or the machine's image.
  init(_ file: String?, vendorFile: String = Self.vendorFile) {
    self.file = file ?? Self.defaultFile
    isNamed = file != nil
    self.vendorFile = vendorFile
  }

  /// The files that exist or must exist, in order of precedence.
  /// - Throws: an error if a folder exists but is unreadable, because its options must not count as unset.
  func inOrder() throws(FileFlaw) -> [File] {
    try Self.dropIns(of: file) + [File(path: file, isOptional: !isNamed)] + Self.dropIns(of: vendorFile)
      + [File(path: vendorFile, isOptional: true)]
  }

  /// The files `*.yaml` of the folder FILE.d. Files with later names take precedence.
  private static func dropIns(of file: String) throws(FileFlaw) -> [File] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: file + ".d")
    } catch {
      var status = stat()
      guard lstat(file + ".d", &status) != 0, errno == ENOENT || errno == ENOTDIR else {
        throw FileFlaw(file: file + ".d", line: nil, column: nil, text: "cannot read the folder")
      }
      return []
    }
    return names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.sorted().reversed()
      .map { File(path: "\(file).d/\($0)", isOptional: false) }
  }
}
