/// The result of the invitation of one relay (`AddRelayResult`, docs/design/simplex.md#creating-and-inviting).
public struct CoreRelayResult: Hashable, Sendable {
  /// The relay that was invited.
  public let relay: CoreRelay
  /// The error, or `nil` if the invitation succeeded.
  public let error: CoreError?
}

extension CoreRelayResult: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    relay = try reader.read("relay")
    error = try reader.readIfPresent("relayError")
  }
}
