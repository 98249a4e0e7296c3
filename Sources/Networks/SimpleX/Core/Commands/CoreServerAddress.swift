public import RelayNetwork

/// The address of a message or file server in a form that is safe in a command. It may contain a password, which is never shown.
public struct CoreServerAddress: Hashable, Sendable {
  /// The address in its parts.
  public let address: ServerAddress
  /// The text with the password.
  let secretText: String

  /// - Throws: `InvalidAddress` if the parts of `address` do not form an address.
  public init(_ address: ServerAddress) throws(InvalidAddress) {
    let text = SimpleXServerAddress.text(of: address, includingPassword: true)
    self.address = try SimpleXServerAddress.parse(text)
    secretText = SimpleXServerAddress.text(of: self.address, includingPassword: true)
  }
}

extension CoreServerAddress: CustomStringConvertible, CustomReflectable {
  public var description: String { address.text }
  public var customMirror: Mirror { Mirror(self, children: ["address": address.text]) }
}
