/// Times on the wire: RFC 3339 in UTC with milliseconds.
public enum RFC3339 {
  /// - Parameter milliseconds: the time in milliseconds since 1970-01-01T00:00:00Z.
  public static func text(milliseconds: Int64) -> String {
    let (days, inDay) = floorDivide(milliseconds, 86_400_000)
    // This inverts the computation of days from a civil date. Years begin in March so that leap days come last.
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    // No clock gives a year that does not have four digits, but a number may.
    guard (0...9999).contains(year) else { return pad(year, 4) + text(0, month, day, inDay).dropFirst(4) }
    return text(year, month, day, inDay)
  }

  /// The text of a time in a year of four digits.
  /// - Parameter inDay: the milliseconds since the day began.
  private static func text(_ year: Int64, _ month: Int64, _ day: Int64, _ inDay: Int64) -> String {
    String(unsafeUninitializedCapacity: 24) { buffer in
      var count = 0
      /// Writes a number and the sign behind it.
      func put(_ number: Int64, _ digits: Int, _ sign: UInt8) {
        var rest = number
        for place in (count..<count + digits).reversed() {
          buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
        buffer[count + digits] = sign
        count += digits + 1
      }
      let seconds = inDay / 1000
      put(year, 4, UInt8(ascii: "-"))
      put(month, 2, UInt8(ascii: "-"))
      put(day, 2, UInt8(ascii: "T"))
      put(seconds / 3600, 2, UInt8(ascii: ":"))
      put(seconds / 60 % 60, 2, UInt8(ascii: ":"))
      put(seconds % 60, 2, UInt8(ascii: "."))
      put(inDay % 1000, 3, UInt8(ascii: "Z"))
      return count
    }
  }

  /// Reads a time such as `2026-01-02T03:04:05Z`, with any fraction and any offset.
  /// - Returns: milliseconds since 1970-01-01T00:00:00Z, or `nil` if the text is not a time.
  public static func milliseconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int64? {
      guard range.upperBound <= bytes.count, bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      return bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    func isAt(_ index: Int, _ allowed: String) -> Bool { index < bytes.count && allowed.utf8.contains(bytes[index]) }
    guard let year = number(0..<4), isAt(4, "-"), let month = number(5..<7), isAt(7, "-"), let day = number(8..<10),
      isAt(10, "Tt "), let hour = number(11..<13), isAt(13, ":"), let minute = number(14..<16), isAt(16, ":"),
      let second = number(17..<19), (1...12).contains(month), hour < 24, minute < 60, second < 61
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...lengths[Int(month) - 1]).contains(day) else { return nil }
    var index = 19
    var fraction: Int64 = 0
    if isAt(index, ".") {
      let digits = bytes[(index + 1)...].prefix { (0x30...0x39).contains($0) }
      guard (1...9).contains(digits.count) else { return nil }
      for place in 0..<3 {
        fraction = fraction * 10 + (place < digits.count ? Int64(digits[digits.startIndex + place] - 0x30) : 0)
      }
      index += 1 + digits.count
    }
    var offset: Int64 = 0
    if isAt(index, "Zz") {
      index += 1
    } else {
      guard isAt(index, "+-"), let hours = number(index + 1..<index + 3), isAt(index + 3, ":"),
        let minutes = number(index + 4..<index + 6), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 60 + minutes) * (bytes[index] == 0x2D ? -1 : 1)
      index += 6
    }
    guard index == bytes.count else { return nil }
    // Years begin in March, so that leap days come last.
    let shiftedYear = month > 2 ? year : year - 1
    let (era, yearOfEra) = floorDivide(shiftedYear, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    return ((days * 86_400 + hour * 3600 + (minute - offset) * 60 + second) * 1000) + fraction
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let remainder = value % divisor
    return remainder < 0 ? (value / divisor - 1, remainder + divisor) : (value / divisor, remainder)
  }

  private static func pad(_ value: Int64, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }
}
