extension String {
  /// Its beginning that has so many bytes at most, in whole scalars.
  public func cut(toBytes most: Int) -> String {
    guard utf8.count > most else { return self }
    var (scalars, bytes) = (String.UnicodeScalarView(), 0)
    for scalar in unicodeScalars {
      bytes += UTF8.width(scalar)
      guard bytes <= most else { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}
