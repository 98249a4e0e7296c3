import Testing

/// The program that runs all tests. With an entry point of its own, a build needs no index to look for tests of XCTest, of which there are none.
@main
enum TestMain {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
