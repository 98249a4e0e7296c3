extension PostDraft {
  /// A file that a post shows: an address on the web, where relays do not keep the file, or a file of this machine, which the network
  /// sends.
  public struct Attachment: Hashable, Sendable {
    /// Width and height of a picture or film, in pixels.
    public struct Dimensions: Hashable, Sendable {
      public var width: Int
      public var height: Int

      public init(width: Int, height: Int) {
        self.width = width
        self.height = height
      }
    }

    /// The http or https address, or the address of a file of this machine (`FileAddress`), which allows no other field.
    public var url: String
    /// The SHA-256 of the file, 64 hexadecimal digits.
    public var sha256: String?
    /// The type and subtype, such as `image/jpeg`.
    public var mimeType: String?
    /// The size of the file in bytes.
    public var sizeBytes: Int64?
    public var dimensions: Dimensions?
    /// A description for people who cannot see the file.
    public var altText: String?
    /// A blurred preview, in the notation of blurha.sh.
    public var blurhash: String?
    /// Other addresses of the same file, best first.
    public var fallbacks: [String]

    /// Upper bound of `altText`, in UTF-8 bytes.
    public static let altTextBytesMax = 1_000
    public static let fallbacksMax = 4
    /// Upper bound of width and height.
    public static let pixelsMax = 1_000_000

    public init(
      url: String, sha256: String? = nil, mimeType: String? = nil, sizeBytes: Int64? = nil, dimensions: Dimensions? = nil,
      altText: String? = nil, blurhash: String? = nil, fallbacks: [String] = []
    ) {
      self.url = url
      self.sha256 = sha256
      self.mimeType = mimeType
      self.sizeBytes = sizeBytes
      self.dimensions = dimensions
      self.altText = altText
      self.blurhash = blurhash
      self.fallbacks = fallbacks
    }
  }
}

extension PostDraft.Attachment {
  /// The fault of the attachment, and the part that has it, or `nil` if the attachment is valid.
  /// - Parameter takesFiles: whether it may be a file of this machine.
  func flaw(takesFiles: Bool) -> (subject: String, reason: String)? {
    if FileAddress.isMeant(by: url) { return flawOfFile(takesFiles).map { ("the address", $0) } }
    if let reason = PostDraft.flaw(ofURL: url) { return ("the address", reason) }
    if let sha256, sha256.utf8.count != 64 || !sha256.utf8.allSatisfy(Self.isHexadecimal) {
      return ("the SHA-256", "must be 64 hexadecimal digits")
    }
    if let mimeType, !Self.isMIMEType(mimeType) { return ("the type", "must be like image/jpeg") }
    if let sizeBytes, sizeBytes < 1 { return ("the size", "must be 1 byte or more") }
    if let dimensions, ![dimensions.width, dimensions.height].allSatisfy((1...Self.pixelsMax).contains) {
      return ("the width and height", "must be from 1 to \(Self.pixelsMax) pixels")
    }
    if let altText {
      let count = altText.utf8.count
      guard count <= Self.altTextBytesMax else {
        return ("the description", "has \(count) bytes, at most \(Self.altTextBytesMax) are allowed")
      }
      guard PostDraft.control(in: altText, allowsLines: true) == nil else {
        return ("the description", "contains a control character. Remove it")
      }
    }
    if let blurhash, !Self.isBlurhash(blurhash) { return ("the blurhash", "must have 6 to 166 digits of base 83") }
    guard fallbacks.count <= Self.fallbacksMax else {
      return ("the list of other addresses", "has \(fallbacks.count), at most \(Self.fallbacksMax) are allowed")
    }
    for (index, fallback) in fallbacks.enumerated() {
      if let reason = PostDraft.flaw(ofURL: fallback) { return ("other address \(index + 1)", reason) }
    }
    return nil
  }

  private func flawOfFile(_ takesFiles: Bool) -> String? {
    guard takesFiles else {
      return
        "leads to a file of this machine, which readers cannot open. Upload it, as batonctl does with --attach-file, or put it on "
        + "the web"
    }
    do throws(FileAddress.Flaw) { _ = try FileAddress(url) } catch { return error.reason }
    guard self == Self(url: url) else {
      return
        "leads to a file of this machine, which has only its address. Leave out the description and all other fields"
    }
    return nil
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool { "0123456789abcdefABCDEF".utf8.contains(byte) }

  /// The characters of types that are registered (RFC 6838, 4.2).
  private static func isMIMEType(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return parts.count == 2
      && parts.allSatisfy { part in
        (1...127).contains(part.count)
          && part.allSatisfy { byte in "!#$&-^_.+".utf8.contains(byte) || PostDraft.isLetterOrDigit(byte) }
      }
  }

  private static func isBlurhash(_ text: String) -> Bool {
    (6...166).contains(text.utf8.count)
      && text.utf8.allSatisfy { PostDraft.isLetterOrDigit($0) || "#$%*+,-.:;=?@[]^_{|}~".utf8.contains($0) }
  }
}
