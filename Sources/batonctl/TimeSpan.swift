internal import ArgumentParser

/// A span of time on a command line: `500ms`, `60s`, `5min` or `2h`. A number without a unit is in seconds.
struct TimeSpan: ExpressibleByArgument {
  let text: String
  let duration: Duration

  init?(argument: String) {
    let digits = argument.prefix { ("0"..."9").contains($0) }
    guard let number = Int64(digits), number > 0, number < 1_000_000_000 else { return nil }
    switch argument[digits.endIndex...] {
    case "ms": duration = .milliseconds(number)
    case "", "s": duration = .seconds(number)
    case "min": duration = .seconds(number * 60)
    case "h": duration = .seconds(number * 3600)
    default: return nil
    }
    text = Int64(argument) == nil ? argument : argument + " s"
  }
}
