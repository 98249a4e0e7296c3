/// The address of a file of this machine, `file:///absolute/path`. Each path has one such address, so two that differ name two files.
public struct FileAddress: Hashable, Sendable {
  /// The fault of an address or a path.
  public struct Flaw: Error, Hashable, Sendable {
    /// The end of a sentence that begins with the address or the path.
    public let reason: String
  }

  /// The absolute path. It has no empty parts, no parts `.` and `..`, and no control characters.
  public let path: String
  /// The address, in ASCII. It tells addresses apart: letters that look alike may be different bytes in the path.
  public let text: String

  /// The last part of the path.
  public var name: String { path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? "" }

  private static let scheme = "file://"

  /// Whether a text is meant as the address of a file of this machine.
  public static func isMeant(by text: String) -> Bool { text.prefix(5).lowercased() == "file:" }

  /// The address of a file.
  /// - Parameter path: an absolute path in normal form.
  public init(path: String) throws(Flaw) {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count > 1, parts[0].isEmpty else { throw Flaw(reason: "must have an absolute path") }
    for part in parts.dropFirst() where part.isEmpty || part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8) {
      throw Flaw(reason: "must have a path without empty parts, '.' and '..'")
    }
    guard PostDraft.control(in: path, allowsLines: false) == nil else {
      throw Flaw(reason: "contains a control character. Give the file another name")
    }
    let text = Self.scheme + Self.escaped(path)
    guard text.utf8.count <= PostDraft.urlBytesMax else {
      throw Flaw(reason: "has \(text.utf8.count) bytes as an address, at most \(PostDraft.urlBytesMax) are allowed")
    }
    (self.path, self.text) = (path, text)
  }

  /// Reads an address.
  public init(_ text: String) throws(Flaw) {
    guard text.utf8.count <= PostDraft.urlBytesMax else {
      throw Flaw(reason: "has \(text.utf8.count) bytes, at most \(PostDraft.urlBytesMax) are allowed")
    }
    guard text.utf8.starts(with: (Self.scheme + "/").utf8) else {
      throw Flaw(reason: "must be written as file:///absolute/path")
    }
    guard let bytes = Self.unescaped(text.utf8.dropFirst(Self.scheme.utf8.count)),
      let path = String(validating: bytes, as: UTF8.self)
    else { throw Flaw(reason: "has a '%' that stands for no character. Write a '%' of the path as %25") }
    try self.init(path: path)
    guard self.text.utf8.elementsEqual(text.utf8) else { throw Flaw(reason: "must be written as \(self.text)") }
  }

  // MARK: - Characters

  /// The path with every byte escaped, except bytes that stand for themselves in a path (RFC 3986, 3.3).
  private static func escaped(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
      if isPlain(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    PostDraft.isLetterOrDigit(byte) || "-._~!$&'()*+,;=:@/".utf8.contains(byte)
  }

  /// - Returns: `nil` if a percent sign is not followed by two hexadecimal digits.
  private static func unescaped(_ text: Substring.UTF8View) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

/// A folder of this machine whose files may be published, with all that is below it.
public struct FileFolder: Hashable, Sendable {
  /// The absolute path, in the form that `FileAddress` demands.
  public let path: String

  /// - Parameter path: an absolute path other than the root. A slash at its end does not count.
  /// - Throws: `FileAddress.Flaw`.
  public init(path: String) throws(FileAddress.Flaw) {
    self.path = try FileAddress(path: path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path).path
  }

  /// Whether a file is below the folder, by its path alone: symbolic links are not followed.
  public func holds(_ file: FileAddress) -> Bool {
    // Bytes are compared: to the system, letters that are equal for people are not.
    file.path.utf8.starts(with: path.utf8) && file.path.utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
  }
}
