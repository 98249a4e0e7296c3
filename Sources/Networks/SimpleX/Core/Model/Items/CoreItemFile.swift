internal import Channels
internal import StrictJSON

/// The file of a message (`CIFile`, docs/design/simplex.md#files-of-posts).
public struct CoreItemFile: Hashable, Sendable {
  /// How far the core came with a file (`CIFileStatus`).
  public enum State: Hashable, Sendable {
    /// It is not uploaded yet.
    case stored
    /// It is being uploaded.
    case uploading
    /// Servers have it, and the core tells the relays how to fetch it.
    case complete
    /// Someone cancelled the upload.
    case cancelled
    /// It was not uploaded and will not be.
    case error(CoreFileError)
    /// It was not uploaded so far. The core keeps trying.
    case warning(CoreFileError)
    /// The core cannot read its own record.
    case invalid(String)
    /// A file of someone else, or a word unknown to this version of Baton.
    case unknown(String)
  }

  /// The longest name kept, in bytes. Every path that Baton uses is shorter.
  static let nameBytesMax = 1024

  /// The name without its folder, cut if it is longer than `nameBytesMax`.
  public let name: String
  /// Its size in bytes, or `nil` if the core gives none.
  public let size: Int64?
  /// How far the core came.
  public let state: State
}

extension CoreItemFile: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    name = try reader.string("fileName").cut(toBytes: Self.nameBytesMax)
    size = reader.value("fileSize")?.integer.flatMap { $0 >= 0 ? $0 : nil }
    state = try reader.read("fileStatus")
  }
}

extension CoreItemFile.State: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    let word = try reader.string("type")
    switch word {
    case "sndStored": self = .stored
    case "sndTransfer": self = .uploading
    case "sndComplete": self = .complete
    case "sndCancelled": self = .cancelled
    case "sndError": self = .error(try reader.read("sndFileError"))
    case "sndWarning": self = .warning(try reader.read("sndFileError"))
    case "invalid": self = .invalid(CoreText.bounded(try reader.stringIfPresent("text") ?? ""))
    default: self = .unknown(CoreText.bounded(word))
    }
  }
}

/// Why the core could not upload a file (`FileError`).
public enum CoreFileError: Hashable, Sendable {
  /// The server refused it.
  case auth
  /// The server's operator blocks it.
  case blocked
  /// The file is not there any more.
  case noFile
  /// The server failed: `host`, `version`, or the core's words.
  case server(String)
  /// The core's words.
  case other(String)
  /// A word unknown to this version of Baton.
  case unknown(String)
}

extension CoreFileError: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    let word = try reader.string("type")
    switch word {
    case "auth": self = .auth
    case "blocked": self = .blocked
    case "noFile": self = .noFile
    case "relay": self = .server(try CoreSendError.server(reader))
    case "other": self = .other(CoreText.bounded(try reader.stringIfPresent("fileError") ?? ""))
    default: self = .unknown(CoreText.bounded(word))
    }
  }
}

extension CoreFileError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .auth: "the file server refused the file"
    case .blocked: "the operator of the file server blocks the file"
    case .noFile: "the core does not find the file any more"
    case .server(let words): "the file server failed: \(CoreSendError.explained(words))"
    case .other(let words): "the core could not upload the file: \(words)"
    case .unknown(let word): "the core could not upload the file (\(word))"
    }
  }
}
