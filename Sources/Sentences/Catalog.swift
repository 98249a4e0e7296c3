// Refusals that are about operators, servers, relays and identities.
extension RefusalSentence {
  /// - Parameters:
  ///   - kind: the word for such objects.
  ///   - id: the id in the request, if it had one. `name` likewise.
  private static func noSuch(_ kind: String, _ id: Int64?, _ name: String?) -> Self {
    let named = [id.map { "with id \($0)" }, name.map { "named '\($0)'" }].compactMap(\.self).joined(separator: " ")
    return Self("there is no \(kind) \(named)", kind == "message" ? "See batonctl messages" : "See batonctl \(kind) list")
  }

  // Objects that do not exist.
  public static func noSuchChannel(id: Int64?, name: String? = nil) -> Self { noSuch("channel", id, name) }
  public static func noSuchOperator(id: Int64?, name: String? = nil) -> Self { noSuch("operator", id, name) }
  public static func noSuchServer(id: Int64?, name: String? = nil) -> Self { noSuch("server", id, name) }
  public static func noSuchRelay(id: Int64?, name: String? = nil) -> Self { noSuch("relay", id, name) }
  public static func noSuchIdentity(id: Int64? = nil, name: String?) -> Self { noSuch("identity", id, name) }
  public static func noSuchPost(id: Int64) -> Self { noSuch("post", id, nil) }
  public static func noSuchMessage(id: Int64) -> Self { noSuch("message", id, nil) }

  // Names that several objects have.
  public static func ambiguousName(name: String, channelIds: [Int64]) -> Self { ambiguous("channel", name, channelIds) }
  public static func ambiguousName(name: String, serverIds: [Int64]) -> Self { ambiguous("server", name, serverIds) }
  public static func ambiguousName(name: String, identityIds: [Int64]) -> Self { ambiguous("identity", name, identityIds) }

  private static func ambiguous(_ kind: String, _ name: String, _ ids: [Int64]) -> Self {
    Self(
      "more than one \(kind) is called '\(name)': \(ids.map { String($0) }.joined(separator: ", "))",
      "Use its id, for example id:\(ids.first ?? 1)")
  }

  /// A name that is not allowed.
  public static func invalidDisplayName(reason: String) -> Self { Self("invalid name: \(reason)") }

  /// A name that another object has.
  public static func duplicateName(name: String) -> Self { Self("the name '\(name)' is already in use", "Choose another") }

  /// A name or a key that another identity has.
  public static func duplicateIdentity(name: String) -> Self {
    Self("the identity '\(name)' already uses this name or key", "Choose another")
  }

  /// A text that is not a domain.
  public static func invalidDomain(domain: String, reason: String) -> Self {
    Self("'\(domain)' is not a valid domain: \(reason)")
  }

  /// A text that is not an address.
  /// - Parameter position: where it goes wrong, in characters from the start.
  public static func invalidAddress(address: String, reason: String, position: Int?) -> Self {
    Self("'\(address)' is not a valid address: \(reason)\(position.map { ", at character \($0 + 1)" } ?? "")")
  }

  // Addresses that another object has.
  public static func duplicateServer(id: Int64) -> Self { duplicateAddress(of: "server \(id)") }
  public static func duplicateRelay(id: Int64) -> Self { duplicateAddress(of: "relay \(id)") }

  /// An address that another object has.
  public static func duplicateAddress(of object: String) -> Self { Self("this address is already in use by \(object)") }

  /// A change that is based on an older revision.
  /// - Parameter object: the changed object, for example relay 7, or nil when that is not known.
  public static func staleRevision(of object: String?) -> Self {
    Self("someone else changed \(object ?? "it") at the same time", "Look at it and try again")
  }

  /// A field that can only be changed in a file.
  public static func declaredByFile(field: String, file: String) -> Self {
    Self("cannot change '\(field)' here: \(file) declares it", "Edit the file and run batonctl reload")
  }

  /// A change that would break the whole.
  /// - Parameter messages: what would be wrong.
  public static func validationFailed(_ messages: [String]) -> Self {
    Self(
      "this change would leave errors: \(messages.joined(separator: "; "))",
      "Nothing was changed. --force changes it anyway", after: ". ")
  }

  /// An operator that cannot be removed alone.
  public static func operatorInUse(servers: Int, relays: Int) -> Self {
    Self(
      "\(counted(servers, "server")) and \(counted(relays, "relay")) belong to this operator", "--force removes them as well")
  }

  /// A relay whose address cannot be changed.
  public static func relayInUse(channels: Int) -> Self {
    Self(
      "\(counted(channels, "channel")) \(channels == 1 ? "uses" : "use") this relay",
      "Its address cannot change, and only relay remove --force removes it. The channels keep it")
  }

  /// An identity that cannot be removed. Without channels it is main.
  public static func identityInUse(channels: Int) -> Self {
    guard channels > 0 else { return Self("the identity main cannot be removed") }
    return channels == 1
      ? Self("1 channel uses this identity", "Delete or unfollow it first")
      : Self("\(channels) channels use this identity", "Delete or unfollow them first")
  }

  /// A text that is not a valid secret key. The reason does not show it.
  public static func invalidKey(reason: String) -> Self { Self("invalid key: \(reason)") }

  /// A credential of the daemon without a secret key in it.
  public static func invalidCredential(credential: String, reason: String) -> Self {
    Self("invalid credential '\(credential)': \(reason)")
  }

  /// Files that are wrong.
  /// - Parameter problems: each with its file.
  public static func invalidConfiguration(_ problems: [String]) -> Self {
    Self(
      problems.joined(separator: "; "), inFull: "nothing was changed: \(problems.joined(separator: "\n  "))")
  }
}
