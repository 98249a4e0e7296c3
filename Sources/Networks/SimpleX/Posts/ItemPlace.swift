internal import Channels

/// The place of a post in the core. It is the network's name for the post (`PostDocument.networkID`), and only ever moves from one case to
/// the next.
enum ItemPlace: Hashable {
  /// Nothing was sent.
  case unsent
  /// It may have been sent. If so, it is above this number, which was the newest of the channel before.
  case after(CoreItem.ID)
  /// The core has it under this number.
  /// - sharedID: its name at relays and readers, or `nil` if the core gave none that can be written down.
  case item(CoreItem.ID, sharedID: String?)

  private static let mark = PostDocument.unsureMark

  /// Reads a name. `nil` if it is not one.
  init?(name: String) {
    if name.isEmpty {
      self = .unsent
    } else if name.hasPrefix(Self.mark) {
      guard let number = Self.number(name.dropFirst(Self.mark.count)) else { return nil }
      self = .after(number)
    } else {
      let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let number = Self.number(parts[0]) else { return nil }
      let shared = parts.count > 1 ? String(parts[1]) : nil
      if let shared, !Self.isWritable(shared) { return nil }
      self = .item(number, sharedID: shared)
    }
  }

  /// The place of an item that the core has.
  init(_ item: CoreItem) { self = .item(item.id, sharedID: item.sharedID.flatMap { Self.isWritable($0) ? $0 : nil }) }

  var name: String {
    switch self {
    case .unsent: ""
    case .after(let mark): "\(Self.mark)\(mark)"
    case .item(let item, nil): "\(item)"
    case .item(let item, let shared?): "\(item)/\(shared)"
    }
  }

  /// The number in the core, if the post is known to have one.
  var item: CoreItem.ID? { if case .item(let item, _) = self { item } else { nil } }

  /// The later place. Of two that may be above different items, the lower one leads to all that the other does.
  func orLater(_ other: Self) -> Self {
    switch (self, other) {
    case (.item, _), (_, .unsent): self
    case (_, .item), (.unsent, _): other
    case (.after(let mine), .after(let theirs)): mine < theirs ? self : other
    }
  }

  private static func number(_ text: Substring) -> CoreItem.ID? {
    guard let number = Int64(text), String(number) == text, number >= 0 else { return nil }
    return CoreItem.ID(rawValue: number)
  }

  /// Whether a shared id is what cores draw, base64.
  static func isWritable(_ text: String) -> Bool {
    (1...CoreItem.wordBytesMax).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"):
          true
        default: "-_+/=".utf8.contains(byte)
        }
      }
  }
}
