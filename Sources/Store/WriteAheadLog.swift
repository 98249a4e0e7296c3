internal import Foundation

/// The log of a SQLite database, read before SQLite opens it (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
struct WriteAheadLog {
  private let bytes: Data

  init?(_ path: String) {
    guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped), bytes.count > Self.headerBytes
    else { return nil }
    self.bytes = bytes
  }

  private static let headerBytes = 32
  private static let frameHeaderBytes = 24

  /// Whether transactions that were durable come after a damaged frame. SQLite regards that frame as the end of the log and loses them
  /// silently. The sum of each frame continues the sum of the frame before it, and across the end of a transaction it does so only if that
  /// one was durable. So the rest of one transaction is not damage, as when the machine stops while it is being written. Nor are the
  /// remains of several failed attempts: they all continue the same frame.
  var hasGap: Bool { bytes.withUnsafeBytes(Self.hasGap) }

  private static func hasGap(_ log: UnsafeRawBufferPointer) -> Bool {
    func number(_ offset: Int) -> UInt32 { UInt32(bigEndian: log.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    let (magic, pageBytes) = (number(0), Int(number(8)))
    guard magic & ~1 == 0x377f_0682, (512...65_536).contains(pageBytes), pageBytes.nonzeroBitCount == 1 else { return false }
    func stored(_ offset: Int) -> Checksum {
      Checksum(isBigEndian: magic & 1 == 1, first: number(offset), second: number(offset + 4))
    }
    var header = Checksum(isBigEndian: magic & 1 == 1)
    header.add(log[..<24])
    // The whole log counts for nothing then, which the state mark notices.
    guard header == stored(24) else { return false }
    let frameBytes = frameHeaderBytes + pageBytes
    var (isWhole, sums) = (true, [header])
    for frame in stride(from: headerBytes, through: log.count - frameBytes, by: frameBytes) {
      // Remains of the log's earlier rounds have other salts.
      let isOfThisRound = number(frame + 8) == number(16) && number(frame + 12) == number(20)
      if isOfThisRound {
        for index in sums.indices {
          sums[index].add(log[frame..<frame + 8])
          sums[index].add(log[frame + frameHeaderBytes..<frame + frameBytes])
        }
      }
      let continues = isOfThisRound && sums.contains(stored(frame + 16))
      if continues, !isWhole, number(frame - frameBytes + 4) != 0 { return true }
      if !continues { isWhole = false }
      // It may be the stored sum that is damaged.
      sums = continues ? [stored(frame + 16)] : [stored(frame + 16), sums[0]]
    }
    return false
  }

  private struct Checksum: Equatable {
    let isBigEndian: Bool
    var first: UInt32 = 0
    var second: UInt32 = 0

    mutating func add(_ bytes: Slice<UnsafeRawBufferPointer>) {
      for offset in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
        first &+= number(bytes.base, offset) &+ second
        second &+= number(bytes.base, offset + 4) &+ first
      }
    }

    private func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
      let number = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      return isBigEndian ? UInt32(bigEndian: number) : UInt32(littleEndian: number)
    }
  }
}

/// The file of a database while it is open.
struct OpenFile {
  private var device: UInt64 = 0
  private var inode: UInt64 = 0
  private var bytes: Int64 = 0

  init(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    (device, inode, bytes) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
  }

  /// Why nothing may be written any more. `nil` if the file is where it was, and is not shorter: SQLite makes it shorter only when it
  /// writes the log back.
  func trouble(_ path: String) -> String? {
    let now = OpenFile(path)
    guard now.inode == inode, now.device == device else {
      return "\(path) was moved away or replaced while batond runs: nothing is stored until it is back"
    }
    guard now.bytes >= bytes else {
      return "\(path) was cut off while batond runs, and nothing more is stored: stop batond and restore a backup"
    }
    return nil
  }

  /// Notes the size after the log was written back.
  mutating func wasWritten(_ path: String) {
    let now = OpenFile(path)
    if now.inode == inode, now.device == device { bytes = now.bytes }
  }
}
