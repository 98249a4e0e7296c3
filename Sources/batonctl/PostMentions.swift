internal import Foundation
internal import RelayNetwork
internal import StrictJSON
internal import WebFiles

/// Finds the public keys of people given by a name at a domain (NIP-05), for example in mentions of posts. Each name is requested once,
/// even if the request fails.
struct PostMentions {
  /// Asks the name's domain for the public key.
  typealias Ask = @Sendable (DomainName) async throws(Refusal) -> String

  /// The largest number of names whose answers are kept. More names are requested again.
  static let namesMax = 10_000

  /// The purpose of the lookup, for messages: `mention`.
  var purpose = "mention"
  private var ask: Ask?
  private var answers: [DomainName: Result<String, Refusal>] = [:]

  /// - Parameter ask: `nil` asks over HTTPS.
  init(ask: Ask? = nil) { self.ask = ask }

  /// - Parameter client: the client that asks domains.
  init(client: WebClient) { ask = Self.asking(by: client, "mention") }

  /// The people as a post names them.
  /// - Parameter people: keys, which are returned unchanged, and names at domains.
  /// - Throws: a refusal for the first name whose key cannot be found.
  mutating func keys(of people: [String]) async throws(Refusal) -> [String] {
    // The daemon refuses this many in any case, so no domain needs to be asked.
    guard people.count <= PostDraft.mentionsMax else { return people }
    var keys: [String] = []
    for person in people { keys.append(DomainName.isMeant(by: person) ? try await key(of: person) : person) }
    return keys
  }

  private mutating func key(of person: String) async throws(Refusal) -> String {
    let name: DomainName
    do throws(DomainName.Flaw) {
      name = try DomainName(person)
    } catch {
      throw Refusal(text: "cannot \(purpose) \(person.shown.cut(to: 100)): \(error)", status: 64, name: "local.Usage")
    }
    if let answer = answers[name] { return try answer.get() }
    if answers.count >= Self.namesMax { answers = [:] }
    let ask = if let ask { ask } else { Self.asking(by: try WebClient.withRootsOfEnvironment(), purpose) }
    self.ask = ask
    do throws(Refusal) {
      let key = try await ask(name)
      answers[name] = .success(key)
      return key
    } catch {
      answers[name] = .failure(error)
      throw error
    }
  }

  private static func asking(by client: WebClient, _ purpose: String) -> Ask {
    { (name) async throws(Refusal) in
      do throws(WebFailure) {
        return try await name.publicKey(client: client)
      } catch {
        throw Refusal(
          text: "cannot \(purpose) \(name.text): \(error)", name: "local.NameNotFound", parameters: ["name": .string(name.text)]
        )
      }
    }
  }
}

extension WebClient {
  /// A client that trusts the system's certificate authorities, or the authorities in the file that `$SSL_CERT_FILE` names, like OpenSSL
  /// and curl.
  static func withRootsOfEnvironment() throws(Refusal) -> WebClient {
    let roots = ProcessInfo.processInfo.environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    do throws(WebFailure) {
      return try WebClient(trustRoots: roots)
    } catch {
      throw Refusal(text: error.description.shown, status: 64, name: "local.Usage")
    }
  }
}
