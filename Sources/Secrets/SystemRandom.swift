internal import Glibc

/// Bytes from the system's random source, in any number.
public enum SystemRandom {
  /// The most bytes that one call of the system gives.
  private static let countMax = 256

  /// - Parameter count: how many bytes there are.
  public static func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      fill(UnsafeMutableRawBufferPointer(buffer))
      filled = count
    }
  }

  /// Overwrites all of `memory`.
  public static func fill(_ memory: UnsafeMutableRawBufferPointer) {
    var rest = memory[...]
    while !rest.isEmpty {
      let part = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(countMax))
      let result = getentropy(part.baseAddress, part.count)
      // Without random bytes no key may be made. Linux has them since 3.17.
      precondition(result == 0, "the system gives no random bytes")
      rest = rest.dropFirst(part.count)
    }
  }
}
