extension ArraySlice<UInt8> {
  /// The index at which `prefix` ends, if the bytes start with it, in upper or lower case.
  /// - Parameter prefix: the prefix in lower case.
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
