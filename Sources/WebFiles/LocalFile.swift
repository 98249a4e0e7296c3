internal import Cryptography
internal import Glibc

/// A file of this machine that is to be published, in memory: the bytes that are hashed are the bytes that are sent.
public struct LocalFile: Sendable {
  /// The reason why a file cannot be published, as a sentence for people. It has the path as the user wrote it.
  public struct Flaw: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  public let bytes: [UInt8]
  let digest: [UInt8]
  /// 64 lower-case hexadecimal digits.
  public let sha256: String
  /// `nil` if it is unknown.
  public let type: FileType?
  /// Of a picture.
  public let dimensions: PictureHeader.Dimensions?

  /// Upper bound of a file, in bytes.
  public static let bytesMax = 100 << 20

  /// - Parameter name: may have an extension that gives the type of the bytes, if they cannot be recognised.
  public init(bytes: [UInt8], name: String) {
    self.bytes = bytes
    digest = SHA256.digest(of: bytes)
    sha256 = digest.hexadecimal
    type = FileType(of: bytes, name: name)
    dimensions = PictureHeader.dimensions(in: bytes)
  }

  /// Reads a regular file.
  public init(path: String) throws(Flaw) {
    // Opening a device or a pipe may wait forever.
    var status = stat()
    guard stat(path, &status) == 0 else { throw Flaw(description: "cannot read \(path): \(Self.words())") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Flaw(description: "\(path) is not a file") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Flaw(description: "cannot read \(path): \(Self.words())") }
    defer { close(descriptor) }
    self.init(bytes: try Self.contents(descriptor, path, expected: Int(status.st_size)), name: path)
  }

  /// Reads to the end, because a file may grow.
  private static func contents(_ descriptor: CInt, _ path: String, expected: Int) throws(Flaw) -> [UInt8] {
    let tooLarge = Flaw(description: "\(path) has more than \(bytesMax) bytes, and a file may not have more")
    guard expected <= bytesMax else { throw tooLarge }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(expected + 1)
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count == 0 { break }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw Flaw(description: "cannot read \(path): \(words())")
      }
      bytes += piece[..<count]
      guard bytes.count <= bytesMax else { throw tooLarge }
    }
    guard !bytes.isEmpty else { throw Flaw(description: "\(path) is empty") }
    return bytes
  }

  private static func words() -> String { String(cString: strerror(errno)) }
}
