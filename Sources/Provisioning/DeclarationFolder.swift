internal import Foundation
public import RelayNetwork

/// The folder whose files declare operators, servers and relays.
public struct DeclarationFolder: Sendable {
  public let path: String

  public init(path: String) { self.path = path }

  /// Reads all files that end in `.yaml`, in the order of their names; others and hidden ones are left alone.
  /// - Parameter reader: a fresh one.
  /// - Returns: how many files there were, and what they say. A folder that does not exist has none.
  /// - Throws: `FileFlaws`.
  public func load(_ reader: DeclarationReader) throws(FileFlaws) -> (files: Int, declarations: Declarations) {
    var reader = reader
    let manager = FileManager.default
    guard manager.fileExists(atPath: path) else { return (0, try reader.result()) }
    let names: [String]
    do {
      names = try manager.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.sorted()
    } catch {
      reader.refuse(path, "the folder cannot be read: \(error.localizedDescription)")
      _ = try reader.result()
      return (0, Declarations())
    }
    for name in names {
      let file = path + "/" + name
      let size = (try? manager.attributesOfItem(atPath: file)[.size] as? NSNumber)?.intValue ?? 0
      guard size <= DeclarationReader.fileBytesMax else {
        reader.refuse(file, "the file has more than \(DeclarationReader.fileBytesMax) bytes")
        continue
      }
      guard let data = manager.contents(atPath: file) else {
        reader.refuse(file, "the file cannot be read")
        continue
      }
      guard let text = String(data: data, encoding: .utf8) else {
        reader.refuse(file, "the file is not UTF-8")
        continue
      }
      reader.read(text, name: file)
    }
    return (names.count, try reader.result())
  }
}
