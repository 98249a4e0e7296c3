internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// The stored form of the wish that a post be among the pinned posts of its group. The list of pinned posts belongs to the group's relay,
/// and is sent as a whole (NIP-29, kind 9010): the list to send is made from the list that the relay shows at that moment, so nothing is
/// signed before.
struct PinForm: Hashable, Sendable {
  /// The key that signs.
  let author: String
  /// The id of the post's event.
  let target: String
  /// How often readers were shown no list at all since the relay confirmed one, or `nil` if it has not confirmed any.
  private(set) var vainLooks: Int?

  /// The number of times that a relay is asked for a list that it accepted, before it counts as a relay without such lists. After the same
  /// number a delivery would fail (`DeliveryPolicy`), so that the reason can be named.
  static let vainLooksMax = 3

  init(author: String, target: String) {
    self.author = author
    self.target = target
  }

  /// The pin once the relay accepted a list with it.
  var taken: PinForm {
    var next = self
    next.vainLooks = 0
    return next
  }

  /// The pin once the relay showed no list at all, or `nil` if that was expected, because the relay never confirmed one.
  private var lookedForInVain: PinForm? {
    guard let vainLooks else { return nil }
    var next = self
    next.vainLooks = vainLooks + 1 < Self.vainLooksMax ? vainLooks + 1 : nil
    return next
  }
}

// MARK: - As stored

extension PinForm {
  /// The form in which it is stored: an object that only Baton uses, and no relay ever gets. It has no name on the network: each list has
  /// one.
  var document: PostDocument {
    var members: [String: JSONValue] = ["pin": .string(target)]
    if let vainLooks { members["vainLooks"] = .integer(Int64(vainLooks)) }
    return PostDocument(networkID: "", author: author, text: JSONValue.object(members).text)
  }

  /// Reads a document that `document` wrote.
  /// - Returns: `nil` for anything else.
  init?(_ document: PostDocument) {
    guard let members = (try? JSONParser.parse(document.text))?.object, let target = members["pin"]?.string,
      Set(members.keys).subtracting(["vainLooks"]) == ["pin"], document.networkID.isEmpty,
      Hex.decode(document.author, count: 32) != nil, Hex.decode(target, count: 32) != nil
    else { return nil }
    self.init(author: document.author, target: target)
    if let value = members["vainLooks"] {
      guard let looks = value.integer, (0..<Int64(Self.vainLooksMax)).contains(looks) else { return nil }
      vainLooks = Int(looks)
    }
  }
}

// MARK: - As readers find it

extension PinForm {
  /// The report of a relay's list.
  func report(_ answer: PinnedPostsReading.Answer, for operation: DeliveryOperation) -> NetworkReport {
    switch answer {
    case .list(let list): return operation.report(list.contains(target) ? .verified(edition: 1) : .missing)
    case .flawed(let trouble): return operation.report(.refused(trouble))
    case .none:
      // A removed pin is gone even if there is no list.
      guard operation.deletion == nil, let next = lookedForInVain else { return operation.report(.missing) }
      let outcome = next.vainLooks == nil ? DeliveryOutcome.skipped(Self.noLists) : .missing
      return operation.report(outcome, form: next.document)
    }
  }

  private static let noLists = Trouble(
    .notSupported, "the relay took the list of pinned posts (NIP-29, kind 9010) and shows none (kind 39005)")
}
