internal import Channels
internal import RelayNetwork
internal import StrictJSON

/// The wish that a post be among the pinned posts of its group, as it is stored. The list of pinned posts belongs to the group's relay, and
/// is sent as a whole (NIP-29, kind 9010): what leaves is made of the list that the relay shows at that moment, so nothing is signed before.
struct PinForm: Hashable, Sendable {
  /// The key of whoever signs.
  let author: String
  /// The id of the post's event.
  let target: String
  /// How often readers were shown no list at all since the relay said that it took one; `nil` if it has not said that.
  private(set) var vainLooks: Int?

  /// The number of times that a relay is asked for a list that it took, before it counts as one that has no such lists. It is that after
  /// which a delivery would fail (`DeliveryPolicy`), so that the reason can be named.
  static let vainLooksMax = 3

  init(author: String, target: String) {
    self.author = author
    self.target = target
  }

  /// The pin once the relay took a list with it.
  var taken: PinForm {
    var next = self
    next.vainLooks = 0
    return next
  }

  /// The pin once the relay showed no list at all; `nil` if that was expected, because the relay never said that it took one.
  private var lookedForInVain: PinForm? {
    guard let vainLooks else { return nil }
    var next = self
    next.vainLooks = vainLooks + 1 < Self.vainLooksMax ? vainLooks + 1 : nil
    return next
  }
}

// MARK: - As stored

extension PinForm {
  /// The form in which it is stored: an object of Baton's own, which no relay ever gets. It has no name on the network: each list has one.
  var document: PostDocument {
    var members: [String: JSONValue] = ["pin": .string(target)]
    if let vainLooks { members["vainLooks"] = .integer(Int64(vainLooks)) }
    return PostDocument(networkID: "", author: author, text: JSONValue.object(members).text)
  }

  /// Reads what `document` wrote.
  /// - Returns: `nil` if it is anything else.
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
  /// The report of what a relay shows.
  func report(_ answer: PinnedPostsReading.Answer, for operation: DeliveryOperation) -> NetworkReport {
    switch answer {
    case .list(let list): return operation.report(list.contains(target) ? .verified(edition: 1) : .missing)
    case .flawed(let trouble): return operation.report(.refused(trouble))
    case .none:
      // A pin that was taken away is gone without any list, too.
      guard operation.deletion == nil, let next = lookedForInVain else { return operation.report(.missing) }
      let outcome = next.vainLooks == nil ? DeliveryOutcome.skipped(Self.noLists) : .missing
      return operation.report(outcome, form: next.document)
    }
  }

  private static let noLists = Trouble(
    .notSupported, "the relay took the list of pinned posts (NIP-29, kind 9010) and shows none (kind 39005)")
}
