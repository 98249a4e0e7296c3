internal import RelayNetwork

/// The common part of reading all addresses and links: the bounds, the characters, and the report of a fault.
enum AddressReader {
  /// Upper bound of every address and link, as given and in normal form.
  static let bytesMax = 2_000

  /// Passes the bytes of `text` to `parse`. Their indices are offsets in characters.
  /// - Parameter normalForm: writes the result. Its text is bounded like `text`, so that it can be read again.
  static func read<Value>(
    _ text: String, normalForm: (Value) -> String, parse: (ArraySlice<UInt8>) throws(AddressFault) -> Value
  ) throws(InvalidAddress) -> Value {
    do throws(AddressFault) {
      let value = try parse(try bytes(of: text))
      guard normalForm(value).utf8.count <= bytesMax else {
        throw AddressFault("it is longer than \(bytesMax) bytes when written in full", at: nil)
      }
      return value
    } catch {
      throw InvalidAddress(address: AddressEcho.echo(text), reason: error.reason, position: error.position)
    }
  }

  private static func bytes(of text: String) throws(AddressFault) -> ArraySlice<UInt8> {
    guard !text.isEmpty else { throw AddressFault("it is empty", at: nil) }
    guard text.utf8.count <= bytesMax else { throw AddressFault("it is longer than \(bytesMax) bytes", at: nil) }
    let bytes = Array(text.utf8)
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      let position = text.firstIndex { character in character.utf8.contains { $0 <= 0x20 || $0 >= 0x7F } }
      throw AddressFault(
        "it holds a space, a control character or a character outside ASCII",
        at: position.map { text.distance(from: text.startIndex, to: $0) })
    }
    return bytes[...]
  }
}
