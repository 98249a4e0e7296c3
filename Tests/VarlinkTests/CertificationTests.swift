import NIOPosix
import StrictJSON
import TestTools
import Testing
import Varlink
import VarlinkCertification

/// `org.varlink.certification`, with python's `varlink` at the other end both ways, and with ourselves.
@Suite(.timeLimit(.minutes(10)))
struct CertificationTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/s" }

  init() throws { folder = try TemporaryFolder() }

  private func start(_ certification: CertificationServer) async throws -> VarlinkServer {
    try await VarlinkServer.start(
      VarlinkService(
        .init(vendor: "Baton", product: "certification", version: "1", url: "https://batond.org"), interfaces: [certification]),
      sockets: [try UnixListener.listen(path: path, mode: 0o600)], group: MultiThreadedEventLoopGroup.singleton
    ) { _ in }
  }

  private func python(_ arguments: String...) throws -> Program {
    try Program(
      Program.repository + "/.build/venv/bin/python3", ["-u", "-m", "varlink.tests.test_certification"] + arguments,
      directory: folder.path)
  }

  @Test func ourClientPassesAtOurServer() async throws {
    let certification = try CertificationServer()
    let server = try await start(certification)
    let client = try await VarlinkClient.connect(path: path)
    try await CertificationClient.run(client)
    try await CertificationClient.run(client)
    #expect(certification.openCount == 0)
    await client.close()
    await server.stop()
  }

  @Test func ourClientPassesAtPythonsServer() async throws {
    let server = try python("--varlink=unix:" + path)
    try await server.line(containing: "Listening on")
    let client = try await VarlinkClient.connect(path: path)
    try await CertificationClient.run(client)
    await client.close()
    server.signal(9)
    _ = await server.status()
  }

  @Test func pythonsClientPassesAtOurServer() async throws {
    let certification = try CertificationServer()
    let server = try await start(certification)
    let client = try python("--client", "--varlink=unix:" + path)
    #expect(await client.status() == 0, "\(client.lines.suffix(5))")
    #expect(client.lines.last == "Certification passed")
    #expect(certification.openCount == 0)
    await server.stop()
  }

  /// A certification that everyone passes is worth nothing.
  @Test func wrongCallsAreRefused() async throws {
    let server = try await start(try CertificationServer())
    let client = try await VarlinkClient.connect(path: path)
    func refusal(_ method: String, _ parameters: [String: JSONValue]) async throws -> VarlinkError? {
      do {
        _ = try await client.call("org.varlink.certification.\(method)", parameters)
        return nil
      } catch let error as VarlinkError {
        return error
      }
    }
    #expect(try await refusal("Test01", ["client_id": "nobody"])?.name == "org.varlink.certification.ClientIdError")
    for (method, parameters) in [
      ("Test02", ["bool": true]), ("Test01", ["client_id": "x"]), ("End", [:]), ("Test10", ["mytype": [:]]),
    ] as [(String, [String: JSONValue])] {
      let id = try await client.call("org.varlink.certification.Start")["client_id"] ?? nil
      let error = try await refusal(method, parameters.merging(["client_id": id]) { own, _ in own })
      #expect(error != nil, "\(method)")
      if parameters["client_id"] != nil { continue }
      #expect(error?.name == "org.varlink.certification.CertificationError")
      #expect(error?.parameters["wants"]?["method"] == "org.varlink.certification.Test01")
      #expect(error?.parameters["got"]?["method"]?.string == "org.varlink.certification.\(method)")
      #expect(try await refusal("Test01", ["client_id": id])?.name == "org.varlink.certification.ClientIdError")
    }
    await client.close()
    await server.stop()
  }
}
