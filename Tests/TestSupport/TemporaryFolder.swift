internal import Foundation

/// A folder of its own for one test; gone when the value is.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    path = NSTemporaryDirectory() + "baton-test-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A certificate that signs itself, with its key, made by openssl.
  /// - Parameter name: the subject alternative name, for example `IP:127.0.0.1`.
  public func makeCertificate(name: String) throws -> (certificate: String, key: String) {
    let base = path + "/" + UUID().uuidString.prefix(8)
    let (certificate, key) = ("\(base).pem", "\(base).key")
    let openssl = Process()
    openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    openssl.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
      "-addext", "subjectAltName=\(name)", "-keyout", key, "-out", certificate,
    ]
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    guard openssl.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    return (certificate, key)
  }
}
