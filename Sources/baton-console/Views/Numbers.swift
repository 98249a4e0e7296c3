/// A number with thin spaces between groups of three digits, from 10 000 on.
func grouped(_ number: Int) -> String {
  let digits = Array(String(number.magnitude))
  guard digits.count > 4 else { return String(number) }
  var result = number < 0 ? "−" : ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index).isMultiple(of: 3) { result.append("\u{202F}") }
    result.append(digit)
  }
  return result
}

/// A number without its fraction, limited in case the daemon reports a huge one.
func whole(_ number: Double) -> Int { number.isFinite ? Int(max(-1e15, min(1e15, number))) : 0 }
