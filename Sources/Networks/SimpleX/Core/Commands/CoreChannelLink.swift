public import RelayNetwork

/// The link of a channel in a form that is safe in a command: nothing but a short link with the letter `c`.
public struct CoreChannelLink: Hashable, Sendable, CustomStringConvertible {
  /// The normal form.
  public let text: String

  /// - Parameter text: the link in any spelling.
  /// - Throws: `InvalidAddress` with the fault and its place.
  public init(_ text: String) throws(InvalidAddress) {
    let link = try SimpleXLink(text)
    guard link.kind == .channel else {
      throw InvalidAddress(
        address: AddressEcho.echo(text),
        reason: "it leads to \(Self.name(of: link.kind)), not to a channel: links of channels have /c# after the host")
    }
    self.text = link.text
  }

  public var description: String { text }

  private static func name(of kind: SimpleXLink.Kind) -> String {
    switch kind {
    case .contact: "a person or an address"
    case .channel: "a channel"
    case .group: "a group, or one relay of a channel"
    case .invitation: "a one-time invitation"
    case .relay: "a relay"
    }
  }
}
