internal import Foundation
internal import Glibc

/// Another time of day than this machine's, for programs that a test runs. It can be set while they run, as somebody may set a clock.
public final class OtherClock: Sendable {
  /// The library that has a program see it, which is compiled once for all tests.
  private static let library = Result {
    let folder = try TemporaryFolder()
    Leftovers.shared?.outlives(folder.path)
    let library = folder.path + "/other_clock.so"
    let source = Program.repository + "/Tests/TestSupport/other_clock.c"
    let isCompiled = try ["clang", "cc"].contains {
      try Program.runAndWait("/usr/bin/env", [$0, "-shared", "-fPIC", "-O2", "-o", library, source]) == 0
    }
    guard isCompiled else {
      throw Program.Ended(description: "neither clang, which comes with Swift, nor cc is in PATH and compiles \(source)")
    }
    // Others' programs read it, too.
    for path in [folder.path, library] { chmod(path, 0o755) }
    return (folder, library)
  }

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
    get throws { ["LD_PRELOAD": try Self.library.get().1, "OTHER_CLOCK": file] }
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
