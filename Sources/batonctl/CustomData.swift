internal import ArgumentParser

/// The arguments of `--custom`.
struct CustomData {
  /// Keys and values, in the order of the command line.
  let members: [(key: String, value: String)]

  /// - Parameter arguments: each `KEY=VALUE`. The value may contain more equals signs.
  /// - Throws: `ValidationError` for an argument of another form.
  init(_ arguments: [String]) throws {
    members = try arguments.map { argument in
      guard let end = argument.firstIndex(of: "="), end > argument.startIndex else {
        throw ValidationError("--custom must be KEY=VALUE.")
      }
      return (String(argument[..<end]), String(argument[argument.index(after: end)...]))
    }
  }
}
