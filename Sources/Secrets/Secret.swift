internal import Glibc

/// Bytes that must not stay in memory: keys, and what keys are made of. When nobody refers to them any more they are overwritten, before
/// their memory becomes anything else's.
///
/// They stay in one place, and nothing copies them unasked. Descriptions do not show them.
public final class Secret: Sendable, CustomStringConvertible, CustomReflectable {
  /// Written once, before anybody else knows of it; only read from then on.
  private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer
  private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// - Parameters:
  ///   - count: how many bytes there are.
  ///   - fill: writes them. They are zero before.
  public convenience init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    self.init(count: count, fill: fill) { $0.deallocate() }
  }

  /// A copy of `bytes`. Those that it is made from are the caller's to overwrite.
  public convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  /// - Parameter release: gives the memory back, which is overwritten by then.
  init(
    count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void,
    release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void
  ) {
    memory = .allocate(byteCount: count, alignment: 1)
    self.release = release
    Self.wipe(memory)
    fill(memory)
  }

  deinit {
    Self.wipe(memory)
    release(memory)
  }

  public var count: Int { memory.count }
  public var isEmpty: Bool { memory.isEmpty }

  /// Lends the bytes to `body`, which must not keep them.
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeRawBufferPointer(memory))
  }

  /// Overwrites memory with zeros, also where the compiler sees that nobody reads it any more.
  public static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    explicit_bzero(start, memory.count)
  }

  public var description: String { "Secret" }
  public var customMirror: Mirror { Mirror(self, children: ["count": count]) }
}
