internal import Glibc

/// Bytes that must not remain in memory: keys, and the material from which keys are derived. When nothing refers to them any more they are
/// overwritten, before their memory is used for anything else.
///
/// They are never moved, and nothing copies them implicitly. Descriptions do not show them.
public final class Secret: Sendable, CustomStringConvertible, CustomReflectable {
  /// The memory, which is written once before it is shared, and afterwards only read.
  private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer
  private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// - Parameters:
  ///   - count: the number of bytes.
  ///   - fill: writes the bytes, which are zero at first.
  public convenience init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    self.init(count: count, fill: fill) { $0.deallocate() }
  }

  /// Creates a copy of `bytes`. The caller must overwrite the original.
  public convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  /// - Parameter release: releases the memory, which has been overwritten by then.
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

  /// Overwrites memory with zeros, even if the compiler sees that nothing reads it any more.
  public static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    explicit_bzero(start, memory.count)
  }

  public var description: String { "Secret" }
  public var customMirror: Mirror { Mirror(self, children: ["count": count]) }
}
