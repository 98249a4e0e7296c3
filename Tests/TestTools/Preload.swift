internal import Foundation
internal import Glibc

/// A library that is put into a program (`LD_PRELOAD`), from a file of this folder in C.
public struct Preload: Sendable {
  private let folder: TemporaryFolder
  /// Where the library is.
  public let path: String

  /// Compiles it, which takes a moment: one is enough for all tests. The library is removed with this value, and when the tests end.
  /// - Parameter name: the name of the file, without `.c`.
  public init(_ name: String) throws {
    folder = try TemporaryFolder()
    Leftovers.shared?.outlives(folder.path)
    let library = "\(folder.path)/\(name).so"
    let source = "\(Program.repository)/Tests/TestTools/\(name).c"
    let isCompiled = try ["clang", "cc"].contains {
      try Program.runAndWait("/usr/bin/env", [$0, "-shared", "-fPIC", "-O2", "-o", library, source]) == 0
    }
    guard isCompiled else {
      throw Program.Ended(description: "neither clang, which comes with Swift, nor cc is in PATH and compiles \(source)")
    }
    // Others' programs read it, too.
    for path in [folder.path, library] { chmod(path, 0o755) }
    path = library
  }
}
