internal import Foundation

/// A folder of its own for one test; gone when the value is.
public final class TemporaryFolder: Sendable {
  public let path: String

  /// - Parameter isInMemory: whether it is in memory, where there is such a place.
  public init(isInMemory: Bool = false) throws {
    let memory = "/dev/shm/"
    let base = isInMemory && FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    path = base + "baton-test-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// A folder with a key for daemons, as systemd hands credentials over.
  public static func withKey() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
    try key.write(to: URL(fileURLWithPath: folder.path + "/identity.key"))
    return folder
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A certificate that signs itself, with its key, made by openssl.
  /// - Parameters:
  ///   - name: the subject alternative name, for example `IP:127.0.0.1`.
  ///   - isExpired: whether its last day was yesterday.
  public func makeCertificate(name: String, isExpired: Bool = false) throws -> (certificate: String, key: String) {
    let base = path + "/" + UUID().uuidString.prefix(8)
    let (certificate, key, request) = ("\(base).pem", "\(base).key", "\(base).csr")
    let subject = [
      "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=test", "-addext",
      "subjectAltName=\(name)", "-keyout", key,
    ]
    if isExpired {
      // `req` makes no expired certificate.
      try openssl(["req", "-new"] + subject + ["-out", request])
      try openssl([
        "x509", "-req", "-in", request, "-signkey", key, "-days", "-1", "-copy_extensions", "copy", "-out", certificate,
      ])
    } else {
      try openssl(["req", "-x509", "-days", "2"] + subject + ["-out", certificate])
    }
    return (certificate, key)
  }

  private func openssl(_ arguments: [String]) throws {
    guard try Program.runAndWait("/usr/bin/openssl", arguments) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}
