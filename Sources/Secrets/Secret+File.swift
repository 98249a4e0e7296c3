internal import Glibc

extension Secret {
  /// The contents of a file or a pipe, read without leaving copies in the memory of this process.
  /// - Parameter bytesMax: how many bytes are read. Further ones are ignored.
  /// - Returns: `nil` if the file cannot be read.
  public static func contents(of path: String, bytesMax: Int) -> Secret? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var count = 0
    var isReadable = true
    let room = Secret(count: bytesMax) { memory in
      while count < memory.count {
        let more = read(descriptor, memory.baseAddress.map { $0 + count }, memory.count - count)
        if more < 0, errno == EINTR { continue }
        isReadable = more >= 0
        guard more > 0 else { return }
        count += more
      }
    }
    return isReadable ? room.withUnsafeBytes { Secret($0.prefix(count)) } : nil
  }
}
