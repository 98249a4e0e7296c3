import BatonClient
import ControlAPI
import Foundation
import Glibc
import TestTools
import Testing

/// Daemons that reach their database as docs/cluster.md says.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ClusterSetupTests {
  /// A role that owns nothing but what it makes, its password in a file, and a connection whose certificate is checked. Daemons end each
  /// other's connections, and tell what is not as it should be.
  @Test func aRoleWithAPasswordAndACertificateAreEnough() async throws {
    let daemons = try await ClusterDaemons(isGuarded: true)
    let (a, b) = (try daemons.installation("a"), try daemons.installation("b"))
    let first = try await a.start()
    try await first.slots(1024)
    try await a.addRelays([daemons.relay.url])
    let second = try await b.start()
    try await second.slots(512)
    let made = try await b.client().make("Encrypted")
    _ = try await a.channel(made) { $0.phase == "active" }
    let reader = StormReader { daemons.database.address() }
    let connections = try await reader.rows(
      "SELECT bool_and(ssl AND usename = 'baton') FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'batond/%'"
    )
    #expect(connections == [["t"]])
    // What would be lost with a machine is said to whoever asks what is wrong.
    let calm = try await a.client().operators.validate()
    #expect(calm.errors.isEmpty && calm.warnings.map(\.kind) == ["noStandby"], "\(calm)")
    #expect(calm.warnings[0].message.contains("commits do not wait for a standby"))
    let status = try await a.control("status")
    #expect(status.status == 0 && !status.lines.contains { $0.contains("standby") }, "\(status.lines)")
    first.signal(SIGKILL)
    try await second.slots(1024)
    let id = try await b.client().make("Afterwards")
    _ = try await b.channel(id) { $0.phase == "active" }
    second.signal(SIGTERM)
    #expect(await second.status() == 0)
    for program in [first, second, daemons.database.process] { #expect(!program.lines.contains { $0.contains("sesame") }) }
  }

  /// No one is told a password who is not the server, and everyone hears why.
  @Test(arguments: ["certificate", "password"])
  func whatDoesNotFitIsSaid(_ what: String) async throws {
    let database = try await PostgreSQLCluster(["fsync": "off"], isGuarded: true)
    let folder = try TemporaryFolder()
    let file: String
    if what == "certificate" {
      file = try folder.makeCertificate(name: "IP:127.0.0.1").certificate
    } else {
      file = folder.path + "/pgpass"
      try "*:*:*:baton:another sesame\n".write(toFile: file, atomically: true, encoding: .utf8)
      chmod(file, 0o600)
    }
    let right = database.folder.path + (what == "certificate" ? "/server.pem" : "/pgpass")
    let installation = try Installation([
      "BATON_STORE": database.guardedAddress().replacing(right, with: file), "BATON_CLUSTER_NAME": "a",
    ])
    let program = try installation.launch()
    let line = try await program.line(
      containing: what == "certificate" ? "certificate verify failed" : "password authentication failed")
    #expect(line.contains("cannot use the database yet"), "\(line)")
    program.signal(SIGTERM)
    _ = await program.status()
    #expect(!program.lines.contains { $0.contains("sesame") || $0.contains("is ready") }, "\(program.lines)")
  }
}
