import Channels
import Foundation
import RelayNetwork
import Testing

@testable import SimpleX

/// A hello that a real server sent, and the connection it belongs to, from Vectors/smp-xftp-hellos.json: smp-server (Ed25519)
/// and xftp-server (Ed448) 6.5.5, recorded on loopback on 2026-11-22. `HelloVector` holds what our own test peer makes.
struct SeenHello: Decodable {
  let server: String
  let transport: ServerProtocol
  let fingerprint: String
  /// The client's Finished message of that connection.
  let finished: Data
  /// What is in the block, from the version range on, without the length before it and the padding behind it.
  let content: Data
  let versions: ClosedRange<Int>

  /// In 2027, when all certificates are valid.
  static let validSeconds: Int64 = 1_800_000_000
  static let servers = ["smp1", "xftp1"]

  private enum CodingKeys: String, CodingKey {
    case server, fingerprint, finished, content, versions
    case transport = "protocol"
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    server = try values.decode(String.self, forKey: .server)
    transport = try #require(ServerProtocol(rawValue: values.decode(String.self, forKey: .transport)))
    fingerprint = try values.decode(String.self, forKey: .fingerprint)
    finished = try values.decode(Data.self, forKey: .finished)
    content = try values.decode(Data.self, forKey: .content)
    let ends = try values.decode([Int].self, forKey: .versions)
    try #require(ends.count == 2)
    versions = ends[0]...ends[1]
  }

  static func all() throws -> [SeenHello] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Vectors")
    let data = try Data(contentsOf: folder.appendingPathComponent("smp-xftp-hellos.json"))
    return try JSONDecoder().decode([SeenHello].self, from: data)
  }

  static func of(_ server: String) throws -> SeenHello { try #require(try all().first { $0.server == server }) }

  /// The bytes on the wire.
  var block: [UInt8] { HelloVector.padded([UInt8](content)) }

  func read(_ block: [UInt8]) throws(MalformedHello) -> ServerHello {
    switch transport {
    case .smp: try ServerHello(smpBlock: block)
    case .xftp: try ServerHello(xftpBody: block)
    }
  }

  /// - Parameter chain: the certificates of the TLS handshake.
  func session(chain: [[UInt8]]) -> TLSSession {
    TLSSession(
      chain: chain, chainCount: chain.count, applicationProtocol: "\(transport.rawValue)/1", version: "TLSv1.3",
      finished: [UInt8](finished))
  }
}
