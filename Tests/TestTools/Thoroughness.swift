internal import Foundation

/// How much of each kind of test runs.
public enum Thoroughness {
  /// Whether `make test-all` runs, which has the long forms.
  public static let isFull = ProcessInfo.processInfo.environment["BATON_TEST_ALL"] != nil
}
