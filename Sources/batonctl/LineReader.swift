internal import Foundation

/// The lines of a file, one after the other. A line that is too long is never held in memory.
struct LineReader {
  enum Line: Hashable {
    /// Its bytes, without the end of the line.
    case bytes([UInt8])
    case tooLong
  }

  /// Upper bound of a line, in bytes: about the size of the longest text if JSON escapes every character.
  static let bytesMax = 256 << 10

  private let read: () throws -> [UInt8]
  private let bytesMax: Int
  /// The data read so far. The bytes before `start` are done.
  private var bytes: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  private var isAtStart = true

  /// - Parameters:
  ///   - bytesMax: upper bound of a line, in bytes.
  ///   - read: reads more bytes, empty at the end.
  init(bytesMax: Int = bytesMax, _ read: @escaping () throws -> [UInt8]) {
    self.bytesMax = bytesMax
    self.read = read
  }

  init(_ file: FileHandle) {
    self.init { try file.read(upToCount: 64 << 10).map { Array($0) } ?? [] }
  }

  /// The next line, or `nil` after the last.
  mutating func next() throws -> Line? {
    var isTooLong = false
    while true {
      let rest = bytes[start...]
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        start = end + 1
        return isTooLong ? .tooLong : finished(rest[..<end])
      }
      if isAtEnd {
        start = bytes.count
        if isTooLong { return .tooLong }
        return rest.isEmpty ? nil : finished(rest)
      }
      // A line that is too long is dropped.
      isTooLong = isTooLong || rest.count > bytesMax + 1
      let more = try read()
      bytes = (isTooLong ? [] : Array(rest)) + more
      start = 0
      isAtEnd = more.isEmpty
    }
  }

  private mutating func finished(_ given: ArraySlice<UInt8>) -> Line {
    var line = given.last == UInt8(ascii: "\r") ? given.dropLast() : given
    // A file of another system may begin with a byte order mark.
    if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    isAtStart = false
    return line.count > bytesMax ? .tooLong : .bytes(Array(line))
  }
}
