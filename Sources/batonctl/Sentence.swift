internal import StrictJSON
internal import Varlink

/// One clear sentence for each error: what happened, to what, and what to do.
enum Sentence {
  /// - Parameters:
  ///   - path: the path of the socket.
  ///   - limit: the time limit, if the command line set one.
  static func of(_ error: VarlinkClient.Failure, _ path: String, within limit: TimeSpan? = nil) -> String {
    let path = path.shown
    return switch error {
    case .notReachable(let reason): "\(reason); is batond running? Name another socket with --socket or $BATON_SOCKET"
    case .notPermitted(let reason): "\(reason); root may use it, and users who may open the socket"
    case .disconnected: "the daemon closed the connection; whether it carried out the request is not known"
    case .notTaken: "the daemon closed the connection and did not take the call; try again"
    case .timedOut: limit.map { "the daemon did not answer within \($0.text)" } ?? "the daemon did not answer in time"
    case .protocolBroken(let reason): "the program that answers at \(path) does not speak Varlink: \(reason.shown)"
    }
  }

  static func of(_ error: VarlinkError) -> String {
    // The fields may contain text from relays, arguments, or anything if a program other than the daemon answers.
    let error = VarlinkError(error.name.shown, error.parameters.mapValues(\.shown))
    let short = error.name.split(separator: ".").last.map(String.init) ?? error.name
    func text(_ key: String) -> String {
      switch error.parameters[key] {
      case .string(let text)?: text
      case .integer(let number)?: String(number)
      default: "?"
      }
    }
    let words = [error.parameters["id"].map { "with id \($0.text)" }, error.parameters["name"]?.string.map { "named '\($0)'" }]
    let named = words.compactMap { $0 }.joined(separator: " ")
    switch short {
    case "NoSuchOperator": return "there is no operator \(named); see batonctl operator list"
    case "NoSuchServer": return "there is no server \(named); see batonctl server list"
    case "NoSuchRelay": return "there is no relay \(named); see batonctl relay list"
    case "NoSuchChannel": return "there is no channel \(named); see batonctl channel list"
    case "NoSuchIdentity": return "there is no identity \(named); see batonctl identity list"
    case "AmbiguousName":
      let lists = ["channelIds", "serverIds", "identityIds"].compactMap { error.parameters[$0]?.array }.joined()
      let ids = lists.compactMap(\.integer).map(String.init)
      return
        "'\(text("name"))' is the name of several: \(ids.joined(separator: ", ")); say which, for example id:\(ids.first ?? "1")"
    case "IdentityInUse":
      return text("channels") == "0"
        ? "the identity main always stays" : "\(text("channels")) channels belong to this identity; delete them first"
    case "InvalidCredential": return "the credential '\(text("credential"))' cannot be used: \(text("reason"))"
    case "NoEnabledRelays":
      return "no relay on \(text("network")) is enabled; add one with batonctl relay add ADDRESS, or enable one"
    case "NoGroupRelays":
      let untested = error.parameters["untested"]?.integer ?? 0
      return "no enabled relay on \(text("network")) is known to offer groups; "
        + (untested > 0
          ? "\(untested) were never tested: run batonctl relay test --all, or name one with --relay" : "name one with --relay")
    case "TooManyRelays": return "\(text("wanted")) relays are more than a channel may have: at most \(text("max"))"
    case "NotInChannel": return "the channel does not have the relay '\(text("relayName"))'; see batonctl channel show"
    case "IdempotencyKeyReused":
      return error.parameters["deleted"] == true
        ? "this idempotency key created channel \(text("id")), which was deleted; a new channel needs another key"
        : "this idempotency key created channel \(text("id")), with other parameters; a new channel needs another key"
    case "NotEnoughRelays": return "\(text("wanted")) relays were asked for, \(text("available")) can be used"
    case "InvalidDisplayName": return "the name cannot be used: \(text("reason"))"
    case "InvalidProfile": return "\(text("field")) cannot be used: \(text("reason"))"
    case "InvalidImage": return "the image cannot be used: \(text("reason"))"
    case "InvalidAddress":
      let place = error.parameters["position"]?.integer.map { ", at character \($0 + 1)" } ?? ""
      return "'\(text("address"))' cannot be used: \(text("reason"))\(place)"
    case "InvalidDomain": return "'\(text("domain"))' cannot be used: \(text("reason"))"
    case "DuplicateAddress":
      let kind = error.name.contains(".Servers.") ? "server" : "relay"
      return "there is a \(kind) with this address already: \(kind) \(text("id"))"
    case "DuplicateName":
      return error.name.contains(".Identities.")
        ? "the identity '\(text("name"))' has this name or this key already; choose another"
        : "the name '\(text("name"))' is in use already; choose another"
    case "StaleRevision": return "it was changed by somebody else at the same time; look at it and try again"
    case "DeclaredByFile": return "its \(text("field")) is declared in \(text("file")): change it there and run batonctl reload"
    case "OperatorInUse":
      return "\(text("servers")) servers and \(text("relays")) relays belong to this operator; --force removes them too"
    case "ValidationFailed":
      let findings = error.parameters["findings"]?.array?.compactMap { $0["message"]?.string } ?? []
      return
        "nothing was changed, because the result would have errors: \(findings.joined(separator: "; ")). --force ignores them"
    case "InvalidConfiguration":
      let problems = (error.parameters["problems"]?.array ?? []).map { problem in
        let place = [problem["line"]?.integer, problem["column"]?.integer].compactMap { $0.map { ":\($0)" } }.joined()
        return "\(problem["file"]?.string ?? "?")\(place): \(problem["text"]?.string ?? "?")"
      }
      return "everything stays as it was: " + (problems.isEmpty ? text("reason") : problems.joined(separator: "\n  "))
    case "NetworkMismatch": return "relay \(text("relayId")) lives on another network than the others"
    case "AlreadyInChannel":
      return text("status") == "removed"
        ? "relay \(text("relayId")) was taken off this channel: on nostr it cannot return, on simplex only once it was told; choose another"
        : "the channel is on relay \(text("relayId")) already, where it is \(text("status"))"
    case "GroupNeedsOneRelay": return "a group lives on exactly one relay: name one with --relay, and leave it there"
    case "NoGroupSupport": return "relay \(text("relayId")) cannot have the group: \(text("reason")); choose another"
    case "LastRelay": return "it is the channel's last relay; add another first, or delete the channel"
    case "RelayInUse":
      return "\(text("channels")) channels use this relay: its address stays; relay remove --force removes it, they keep it"
    case "NoLink": return "channel \(text("id")) has no link yet: no relay has been active so far"
    case "InvalidFilter": return "\(text("path")) cannot be used: \(text("reason"))"
    case "NetworkUnavailable": return text("reason")
    case "TooManyConnections":
      switch error.parameters["of"] {
      case "user":
        return
          "you have \(text("max")) connections to the daemon already; end some, or raise its option control.connectionsPerUser"
      case "strangers": return "the daemon has \(text("max")) connections of users without rights already; try again later"
      default: return "the daemon has \(text("max")) connections already; see its option control.connectionsMax"
      }
    case "Busy": return "the daemon has too much to do; try again later"
    case "StorageDamaged":
      return "the daemon's database is damaged: \(text("reason")). batonctl check lists all damage; restore a backup"
    case "StorageUnavailable":
      return "the daemon cannot use its database at present, nothing was changed: \(text("reason"))"
    case "RevisionCompacted": return "changes before revision \(text("oldest")) are no longer kept; list again"
    case "TooManySubscribers":
      return "the largest allowed number of clients watch already; see the daemon's option control.subscribersMax"
    case "TooSlow": return "the changes were not read fast enough; continue with --since \(text("revision"))"
    case "InternalError":
      return
        "the daemon has an internal fault, which its journal describes (journalctl -u batond); see whether the change was made"
    case "PermissionDenied": return "you may not do this; root and members of the group baton may"
    case "InvalidParameter": return "the daemon does not accept the parameter '\(text("parameter"))'"
    default: return error.description
    }
  }
}
