public import RelayNetwork

/// The address of a chat relay in a form that is safe in a command: nothing but a short link with the letter `r`.
public struct CoreRelayAddress: Hashable, Sendable, CustomStringConvertible {
  /// The normal form.
  public let text: String

  /// - Parameter text: the address in any spelling.
  /// - Throws: the same `InvalidAddress` as `SimpleXAddressing`.
  public init(_ text: String) throws(InvalidAddress) { self.text = try SimpleXAddressing().parse(address: text).text }

  public var description: String { text }
}
