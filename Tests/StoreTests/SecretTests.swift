import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Secrets

/// What is left of keys in memory.
struct SecretTests {
  /// What stood in memory that was given back.
  private final class Released: Sendable {
    private let state = Mutex<[[UInt8]]>([])
    var all: [[UInt8]] { state.withLock { $0 } }

    func take(_ memory: UnsafeMutableRawBufferPointer) {
      state.withLock { $0.append(Array(memory)) }
      memory.deallocate()
    }
  }

  @Test func randomBytesFillAllThatIsAskedFor() {
    for count in [0, 1, 32, 256, 257, 1_000] {
      let (first, second) = (SystemRandom.bytes(count), SystemRandom.bytes(count))
      #expect(first.count == count && second.count == count)
      guard count >= 32 else { continue }
      #expect(first != second)
      // No stretch of it was left as it was.
      for start in stride(from: 0, through: count - 32, by: 16) { #expect(Set(first[start..<start + 32]).count > 4) }
    }
  }

  @Test func bytesAreOverwrittenWhenNobodyRefersToThemAnyMore() {
    let released = Released()
    func use() {
      let secret = Secret(count: 32, fill: { $0.copyBytes(from: 1...32) }, release: { released.take($0) })
      let holders = [secret, secret]
      withExtendedLifetime(holders) {
        #expect(holders.allSatisfy { $0.bytes == Array(1...32) && $0.count == 32 && !$0.isEmpty })
        #expect(released.all.isEmpty)
      }
    }
    use()
    #expect(released.all == [[UInt8](repeating: 0, count: 32)])
  }

  @Test func memoryOfOthersIsOverwritten() {
    var bytes: [UInt8] = [1, 2, 3, 4]
    bytes.withUnsafeMutableBytes { Secret.wipe(UnsafeMutableRawBufferPointer(rebasing: $0[1..<3])) }
    #expect(bytes == [1, 0, 0, 4])
    Secret.wipe(UnsafeMutableRawBufferPointer(start: nil, count: 0))
  }

  @Test func bytesAreThoseThatWereGiven() {
    #expect(Secret([7, 8, 9]).bytes == [7, 8, 9])
    #expect(Secret("key".utf8).bytes == Array("key".utf8))
    #expect(Secret(count: 3) { $0[1] = 5 }.bytes == [0, 5, 0])
    #expect(Secret([UInt8]()).isEmpty)
    var dumped = ""
    dump(Secret([201, 202]), to: &dumped)
    #expect(!dumped.contains("201") && "\(Secret([201, 202]))" == "Secret")
  }

  @Test func filesAndPipesAreReadToTheirEndOrTheBound() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/file"
    try Data(1...100).write(to: URL(fileURLWithPath: path))
    #expect(Secret.contents(of: path, bytesMax: 4096)?.bytes == Array(1...100))
    #expect(Secret.contents(of: path, bytesMax: 100)?.count == 100)
    #expect(Secret.contents(of: path, bytesMax: 10)?.bytes == Array(1...10))
    #expect(Secret.contents(of: "/dev/null", bytesMax: 10)?.isEmpty == true)
    #expect(Secret.contents(of: "/dev/zero", bytesMax: 10)?.bytes == [UInt8](repeating: 0, count: 10))
    #expect(Secret.contents(of: folder.path, bytesMax: 10) == nil)
    #expect(Secret.contents(of: path + "2", bytesMax: 10) == nil)
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data([1, 2]))
    try pipe.fileHandleForWriting.write(contentsOf: Data([3]))
    try pipe.fileHandleForWriting.close()
    #expect(Secret.contents(of: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)", bytesMax: 10)?.bytes == [1, 2, 3])
  }
}
