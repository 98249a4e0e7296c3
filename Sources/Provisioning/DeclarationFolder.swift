internal import Foundation
internal import Glibc
public import RelayNetwork

/// The folder whose files declare operators, servers and relays.
public struct DeclarationFolder: Sendable {
  public let path: String

  public init(path: String) { self.path = path }

  /// Whether the path exists. A folder that exists but cannot be reached counts as existing.
  public var exists: Bool {
    var status = stat()
    return stat(path, &status) == 0 || errno != ENOENT
  }

  /// Reads all files that end in `.yaml`, in the order of their names. Other and hidden files are skipped.
  /// - Parameter reader: a fresh one.
  /// - Returns: how many files there were, their declarations, and their names and texts, by which equal folders are recognised. A folder
  ///   that does not exist has none.
  /// - Throws: `FileFlaws`.
  public func load(_ reader: DeclarationReader) throws(FileFlaws) -> (
    files: Int, declarations: Declarations, content: [UInt8]
  ) {
    var reader = reader
    guard exists else { return (0, try reader.result(), []) }
    var content: [UInt8] = []
    var names: [String] = []
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      reader.refuse(path, "cannot read the folder: \(error.localizedDescription)")
    }
    names = names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.sorted()
    for name in names {
      let file = path + "/" + name
      do {
        let text = try Self.text(of: file)
        // No text in UTF-8 has this byte.
        content += Array(name.utf8) + [0xFF] + Array(text.utf8) + [0xFF]
        reader.read(text, name: file)
      } catch {
        reader.refuse(file, error.reason)
      }
    }
    return (names.count, try reader.result(), content)
  }

  private struct Unreadable: Error {
    let reason: String
  }

  /// The text of a regular file. Links to one are followed. A pipe or a device must not hold the daemon up.
  private static func text(of path: String) throws(Unreadable) -> String {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Unreadable(reason: "cannot read the file: \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Unreadable(reason: "it is not a regular file")
    }
    let most = DeclarationReader.fileBytesMax
    var bytes: [UInt8] = []
    while bytes.count <= most {
      var part = [UInt8](repeating: 0, count: 65_536)
      let count = read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Unreadable(reason: "cannot read the file: \(String(cString: strerror(errno)))") }
      if count == 0 { break }
      bytes += part[..<count]
    }
    guard bytes.count <= most else { throw Unreadable(reason: "the file has more than \(most) bytes") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Unreadable(reason: "the file is not UTF-8") }
    return text
  }
}
