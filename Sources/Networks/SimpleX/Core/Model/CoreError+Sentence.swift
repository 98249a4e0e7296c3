extension CoreError: CustomStringConvertible {
  public var description: String { sentence }

  /// A description of the error for people, in one line.
  public var sentence: String {
    let server = host.map { "the server \($0)" } ?? "a server"
    let words = message.map { ": \($0)" } ?? ""
    switch kind {
    case .temporary: return temporary(server, words)
    case .deadLink:
      return
        "\(server) does not know the address: it is gone, or a password is missing (\(tags.joined(separator: " ")))"
    case .wrongServer: return "\(server) does not match its address: its certificate has another fingerprint"
    case .incompatible:
      return "the core and \(host.map { "the server \($0)" } ?? "the other side") have no common version\(words)"
    case .command: return commandRefusal(words)
    case .noUser: return "the core has no user"
    case .notStarted: return "the core is not started"
    case .notAllowed: return refusal
    case .item(let fault): return fault.sentence
    case .store(let tag): return "the core's database: \(tag)\(words)"
    case .other: return other(server, words)
    }
  }

  private var refusal: String {
    guard tag == "groupUserRole", let message else { return "the core's user may not do this in the channel (\(tag))" }
    return "the core's user may not do this in the channel: it takes the role \(message) or a higher one"
  }

  private func temporary(_ server: String, _ words: String) -> String {
    switch tag {
    case "TIMEOUT", "timeoutError": "\(server) did not answer in time"
    case "HOST": "\(server) cannot be found"
    case "NO_SERVICE": "\(server) does not offer its service now"
    case "QUOTA": "\(server) has no room for another message to the other side"
    case "dBBusyError": "the core's database is busy\(words)"
    case "INACTIVE": "the core is pausing"
    case "CRITICAL": "the core is in trouble and wants to be restarted\(words)"
    default: "\(server) cannot be reached\(words)"
    }
  }

  private func commandRefusal(_ words: String) -> String {
    switch tag {
    case "invalidDisplayName": "the core does not accept the name"
    case "chatRelayExists": "the core has this relay already"
    case "differentActiveUser": "another user of the core is active"
    case "invalidConnReq": "the core cannot read the link"
    case "unsupportedConnReq": "the core is too old for the link"
    default: "the core refused the command\(words)"
    }
  }

  private func other(_ server: String, _ words: String) -> String {
    switch tag {
    case "relayTestError": "the test of the relay failed\(words)"
    case "internalError", "exception", "INTERNAL": "the core failed\(words)"
    default:
      (host == nil ? "the core says " : "\(server): ") + tags.dropFirst(tags.count > 1 ? 1 : 0).joined(separator: " ") + words
    }
  }
}
