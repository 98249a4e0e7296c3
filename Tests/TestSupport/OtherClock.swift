internal import Foundation

/// Has a program see another time of day than this machine. Programs in Swift lose their arguments now and then under libfaketime, so it is
/// for others.
public enum OtherClock {
  private static let library: String? = {
    let root = "/usr/lib"
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return folders.map { "\(root)/\($0)/faketime/libfaketimeMT.so.1" }.first { FileManager.default.fileExists(atPath: $0) }
  }()

  /// Whether libfaketime is installed.
  public static var isThere: Bool { library != nil }

  /// The environment of such a program; `nil` where libfaketime is not installed.
  /// - Parameter offset: how much later it is, such as `-45s`.
  public static func settings(_ offset: String) -> [String: String]? {
    library.map { ["LD_PRELOAD": $0, "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1"] }
  }
}
