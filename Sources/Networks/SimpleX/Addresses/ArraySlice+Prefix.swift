extension ArraySlice<UInt8> {
  /// Where `prefix` ends, when the bytes start with it in any case.
  /// - Parameter prefix: lower case.
  func end(ofPrefix prefix: String) -> Int? {
    var index = startIndex
    for letter in prefix.utf8 {
      guard index < endIndex else { return nil }
      let isUpperCase = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self[index])
      guard (isUpperCase ? self[index] | 0x20 : self[index]) == letter else { return nil }
      index += 1
    }
    return index
  }
}
