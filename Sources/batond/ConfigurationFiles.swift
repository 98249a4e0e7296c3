internal import Foundation
internal import Glibc
internal import RelayNetwork

/// Where options are written down: what the administrator says stands above what the vendor says, and the files of a `.d` folder above
/// the file that the folder belongs to.
struct ConfigurationFiles: Sendable {
  struct File: Hashable, Sendable {
    let path: String
    /// Whether it need not be there.
    let isOptional: Bool
  }

  static let defaultFile = "/etc/batond/batond.yaml"
  static let vendorFile = "/usr/lib/batond/batond.yaml"

  private let file: String
  private let isNamed: Bool
  private let vendorFile: String

  /// - Parameters:
  ///   - file: the administrator's; nil takes the default one if it is there.
  ///   - vendorFile: that of the distribution or the machine's image.
  init(_ file: String?, vendorFile: String = Self.vendorFile) {
    self.file = file ?? Self.defaultFile
    isNamed = file != nil
    self.vendorFile = vendorFile
  }

  /// The files that are there or must be, what counts most first.
  /// - Throws: what is wrong with a folder that is there and cannot be read: its options must not pass for unset.
  func inOrder() throws(FileFlaw) -> [File] {
    try Self.dropIns(of: file) + [File(path: file, isOptional: !isNamed)] + Self.dropIns(of: vendorFile)
      + [File(path: vendorFile, isOptional: true)]
  }

  /// The files `*.yaml` of the folder FILE.d; those that come later by name count more.
  private static func dropIns(of file: String) throws(FileFlaw) -> [File] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: file + ".d")
    } catch {
      var status = stat()
      guard lstat(file + ".d", &status) != 0, errno == ENOENT || errno == ENOTDIR else {
        throw FileFlaw(file: file + ".d", line: nil, column: nil, text: "the folder cannot be read")
      }
      return []
    }
    return names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.sorted().reversed()
      .map { File(path: "\(file).d/\($0)", isOptional: false) }
  }
}
