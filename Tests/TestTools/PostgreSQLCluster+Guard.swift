internal import Foundation
internal import Glibc

/// A server that asks for a password, and has a certificate.
extension PostgreSQLCluster {
  private static let password = "open sesame"

  /// - Returns: the settings of a server with a certificate.
  static func certify(_ folder: TemporaryFolder) throws -> [String: String] {
    let (certificate, key) = try folder.makeCertificate(name: "IP:127.0.0.1")
    let (own, ownKey) = (folder.path + "/server.pem", folder.path + "/server.key")
    try FileManager.default.moveItem(atPath: certificate, toPath: own)
    try FileManager.default.moveItem(atPath: key, toPath: ownKey)
    for path in [own, ownKey] {
      giveAway(path)
      chmod(path, 0o600)
    }
    return ["ssl": "on", "ssl_cert_file": own, "ssl_key_file": ownKey]
  }

  /// Makes a role like that of docs/cluster.md, and a file with its password.
  func makeRole() async throws {
    let statements = "CREATE ROLE baton LOGIN PASSWORD '\(Self.password)'; GRANT CREATE ON DATABASE postgres TO baton"
    let (status, lines) = try await Program.run(Self.psql, ["-X", "-q", "-d", address(), "-c", statements])
    guard status == 0 else { throw Program.Ended(description: "no role: \(lines)") }
    let file = folder.path + "/pgpass"
    try "*:*:*:baton:\(Self.password)\n".write(toFile: file, atomically: true, encoding: .utf8)
    chmod(file, 0o600)
  }

  /// The address for a role that owns nothing but what it makes, over TCP with a password, encrypted, with the server's certificate checked.
  /// - Parameter ports: where the server is found.
  public func guardedAddress(_ ports: [Int]? = nil) -> String {
    "\(Self.places(ports ?? [port])) user=baton dbname=postgres sslmode=verify-full sslrootcert=\(folder.path)/server.pem "
      + "passfile=\(folder.path)/pgpass"
  }
}
