internal import Foundation
internal import StrictJSON

/// A name at a domain that stands for a public key (NIP-05), such as `bob@example.com`.
public struct DomainName: Hashable, Sendable {
  /// The reason why a text is not such a name, as a sentence for people.
  public struct Flaw: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  public let name: String
  /// The server that resolves the name.
  private let server: WebAddress

  /// Upper bound of a domain's answer, in bytes: it may list all of its names.
  private static let bytesMax = 1 << 20

  /// Whether someone who writes `text` in place of a public key means a name at a domain. Keys have neither of these characters, and the
  /// address of a page may have a key in it.
  public static func isMeant(by text: String) -> Bool { !text.contains("://") && (text.contains("@") || text.contains(".")) }

  /// Reads a name. A domain alone is its own name, `_` at the domain. On this machine, the domain may be an address, with a port.
  public init(_ text: String) throws(Flaw) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2, let domain = parts.last else { throw Flaw(description: "a name at a domain has one '@'") }
    name = parts.count == 1 ? "_" : parts[0].lowercased()
    guard (1...64).contains(name.utf8.count),
      name.utf8.allSatisfy({ "abcdefghijklmnopqrstuvwxyz0123456789-_.".utf8.contains($0) })
    else { throw Flaw(description: "the name before the '@' may have letters of ASCII, digits, '-', '_' and '.' only") }
    let isLocal = (try? WebAddress(server: "http://\(domain)")) != nil
    guard let server = try? WebAddress(server: (isLocal ? "http://" : "https://") + domain), isLocal || server.port == 443,
      isLocal || server.authority == domain.lowercased()
    else { throw Flaw(description: "the text after the '@' is not a domain") }
    self.server = server
  }

  /// The name as people write it.
  public var text: String { name == "_" ? server.authority : "\(name)@\(server.authority)" }

  /// Whether a server on this machine is asked. Another person's profile may name any of its ports.
  public var isLocal: Bool { server.isLoopback }

  /// Asks the domain whose name it is.
  /// - Returns: the public key, 64 lower-case hexadecimal digits.
  /// - Throws: `WebFailure` with the reason.
  public func publicKey(client: WebClient) async throws(WebFailure) -> String {
    let address = server.with(target: "/.well-known/nostr.json?name=\(name)")
    let answer = try await client.send(WebRequest(method: .get, address: address, intake: .bytes(max: Self.bytesMax)))
    switch answer.status {
    case 200: break
    // NIP-05 forbids redirects, because others than the domain's owner may be able to make some.
    case 300..<400: throw WebFailure("the server sends to another address, which NIP-05 does not allow")
    default: throw WebFailure("the server answered with HTTP status \(answer.status)")
    }
    // People write such files by hand, and editors begin them with a byte order mark.
    let body = answer.body.starts(with: [0xEF, 0xBB, 0xBF]) ? answer.body.dropFirst(3) : answer.body[...]
    guard let names = (try? JSONParser.parse(Array(body)))?["names"]?.object else {
      throw WebFailure("the server's answer is not a list of names as in NIP-05")
    }
    let keys = Set((names[name].map { [$0] } ?? names.filter { $0.key.lowercased() == name }.map(\.value)).map(Self.lowered))
    guard let key = keys.first else { throw WebFailure("no one has this name") }
    guard keys.count == 1 else { throw WebFailure("several people there have this name in different capitals") }
    guard let text = key.string, text.utf8.count == 64, text.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else {
      throw WebFailure("the name stands for something that is not a public key")
    }
    return text
  }

  private static func lowered(_ key: JSONValue) -> JSONValue { key.string.map { .string($0.lowercased()) } ?? key }
}
