internal import Channels
internal import Foundation
internal import RelayNetwork

/// The text of a post from a file or standard input.
enum PostText {
  /// Upper bound of a text, in bytes.
  static let bytesMax = PostDraft.textBytesMax

  /// The text that a command line names.
  /// - Parameters:
  ///   - text: the text itself, or `-` for standard input.
  ///   - file: the file that contains the text, if there is one.
  static func whole(_ text: String?, file: String?) throws(Refusal) -> String {
    if let file { return try Self.file(file) }
    return text == "-" ? try standardInput() : text ?? ""
  }

  static func standardInput() throws(Refusal) -> String { try read(.standardInput, "standard input") }

  static func file(_ path: String) throws(Refusal) -> String {
    guard let file = FileHandle(forReadingAtPath: path) else { throw unreadable(path.shown) }
    defer { try? file.close() }
    return try read(file, path.shown)
  }

  /// The text in `bytes`, without the line feed at its end.
  /// - Parameters:
  ///   - bytes: the data read. It need not be complete if it exceeds the limit of a post.
  ///   - name: the source of the text, for people.
  static func text(_ bytes: Data, _ name: String) throws(Refusal) -> String {
    let tooLong = Refusal(
      text: "\(name) has more than \(bytesMax) bytes, the limit for a post: shorten it", status: 64,
      name: "local.TooLong")
    // Incomplete data may end within a character.
    guard bytes.count <= fileBytesMax else { throw tooLong }
    guard let given = String(data: bytes, encoding: .utf8) else {
      throw Refusal(text: "\(name) is not text in UTF-8. Convert it, for example with iconv", status: 64, name: "local.Usage")
    }
    let text = HumanText.text(given)
    let whole = text.hasSuffix("\n") ? String(text.dropLast()) : text
    guard whole.utf8.count <= bytesMax else { throw tooLong }
    return whole
  }

  /// The largest size of a file: a text of line ends with two bytes each, and a byte order mark.
  private static let fileBytesMax = 2 * bytesMax + 5

  private static func read(_ file: FileHandle, _ name: String) throws(Refusal) -> String {
    // One byte more shows that there is too much.
    var bytes = Data()
    while bytes.count <= fileBytesMax {
      do {
        guard let more = try file.read(upToCount: fileBytesMax + 1 - bytes.count), !more.isEmpty else { break }
        bytes += more
      } catch {
        throw unreadable(name)
      }
    }
    return try text(bytes, name)
  }

  static func unreadable(_ name: String) -> Refusal { Refusal(text: "cannot read \(name)", status: 64, name: "local.Usage") }
}
