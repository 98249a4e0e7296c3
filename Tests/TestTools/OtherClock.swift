internal import Foundation
internal import Glibc

/// Another time of day than this machine's, for programs that a test runs. It can be set while they run, as someone may set a clock.
public final class OtherClock: Sendable {
  /// The library that has a program see it.
  private static let library = Result { try Preload("other_clock") }

  private let folder: TemporaryFolder
  private var file: String { folder.path + "/offset" }

  /// - Parameter offset: how much later it is than this machine's clock says.
  public init(_ offset: Duration = .zero) throws {
    folder = try TemporaryFolder()
    try Data(count: MemoryLayout<Int64>.size).write(to: URL(fileURLWithPath: folder.path + "/offset"))
    for path in [folder.path, folder.path + "/offset"] { chmod(path, 0o755) }
    try set(offset)
  }

  /// The environment of programs that see it.
  public var settings: [String: String] {
    get throws { ["LD_PRELOAD": try Self.library.get().path, "OTHER_CLOCK": file] }
  }

  /// Sets it, at once for all that see it.
  public func set(_ offset: Duration) throws {
    let (seconds, attoseconds) = offset.components
    let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    // In place, because programs have mapped this file.
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
    try handle.write(contentsOf: withUnsafeBytes(of: nanoseconds) { Data($0) })
    try handle.close()
  }
}
