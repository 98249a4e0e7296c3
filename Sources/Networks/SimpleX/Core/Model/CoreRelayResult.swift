/// How the invitation of one relay went (`AddRelayResult`, docs/design/simplex.md#creating-and-inviting).
public struct CoreRelayResult: Hashable, Sendable {
  /// The relay that was invited.
  public let relay: CoreRelay
  /// nil: nothing is wrong with this one.
  public let error: CoreError?
}

extension CoreRelayResult: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    relay = try reader.read("relay")
    error = try reader.readIfPresent("relayError")
  }
}
