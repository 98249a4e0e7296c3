internal import Varlink

extension Generator {
  /// Parameters and replies of methods that stand with no other types.
  mutating func messages(of interface: IDL.Interface) throws(Failure) -> (requests: [String], replies: [String]) {
    var (requests, replies): ([String], [String]) = ([], [])
    for method in interface.methods {
      let name = "\(interface.name).\(method.name)"
      if let request = request(method, interface) {
        if let type = try type(request, method.input, "Parameters of \(name).", interface) { requests.append(type) }
      }
      if let reply = reply(method, interface) {
        let comment = object(method).map { "A reply that is one `\($0)`." } ?? "A reply of \(name)."
        if let type = try type(reply, method.output, comment, interface) { replies.append(type) }
      }
    }
    return (requests, replies)
  }

  /// The type of a method's parameters, or nil when it has none.
  func request(_ method: IDL.Method, _ interface: IDL.Interface) -> String? {
    guard !method.input.isEmpty else { return nil }
    if let own = Self.parameters["\(interface.name).\(method.name)"] { return own }
    // All lists with a filter are asked for in one way.
    return isList(method) ? "ListRequest" : "\(title(interface))\(method.name)Request"
  }

  /// The type of a method's replies, or nil when they are empty.
  func reply(_ method: IDL.Method, _ interface: IDL.Interface) -> String? {
    guard !method.output.isEmpty else { return nil }
    if let own = Self.replies["\(interface.name).\(method.name)"] { return own }
    return (object(method) ?? title(interface) + method.name) + "Reply"
  }

  /// The type of the one object that a method replies with, or nil for any other reply.
  private func object(_ method: IDL.Method) -> String? {
    guard method.output.count == 1, case .named(let type)? = method.output.first?.type else { return nil }
    return type
  }

  /// The names of an interface's methods, its server's protocol, and the code that brings calls there.
  func service(of interface: IDL.Interface) -> [String] {
    let name = title(interface)
    var names = ["/// The methods of `\(interface.name)`.", "public enum \(name)Method: String, InterfaceMethod {"]
    var methods = [
      "/// What a server of `\(interface.name)` does.",
      "public protocol \(name)Service: InterfaceService where Method == \(name)Method, Refusal == \(name)Refusal {",
    ]
    var answers = [
      "extension \(name)Service {", "  public func answer(",
      "    _ method: \(name)Method, _ call: VarlinkCall, _ stream: VarlinkStream",
      "  ) async throws -> any JSONWritable {", "    switch method {",
    ]
    for method in interface.methods {
      names.append("  case \(lowercased(method.name)) = \"\(interface.name).\(method.name)\"")
      methods += requirement(method, interface)
      answers += answer(method, interface)
    }
    return [
      (names + ["}", ""]).joined(separator: "\n"), (methods + ["}", ""]).joined(separator: "\n"),
      (answers + ["    }", "  }", "}", ""]).joined(separator: "\n"),
    ]
  }

  /// The comment of a method, without its marks for the server.
  func documented(_ method: IDL.Method) -> [String] {
    let comment = method.comment.split(separator: "\n").filter { !$0.hasPrefix("[") }.joined(separator: "\n")
    return documented(comment, indent: "  ")
  }

  private func requirement(_ method: IDL.Method, _ interface: IDL.Interface) -> [String] {
    var lines = documented(method)
    let request = request(method, interface).map { "_ request: \($0)" }
    let result = reply(method, interface).map { " -> \($0)" } ?? ""
    let name = "  func \(lowercased(method.name))("
    guard method.supportsMore, let reply = reply(method, interface) else {
      return lines + [name + (request ?? "") + ") async throws" + result]
    }
    lines.append(
      "  /// - Parameter stream: takes all replies but the last one"
        + (method.requiresMore ? "." : "; nil when the client takes one only."))
    let stream = "_ stream: ReplyStream<\(reply)>\(method.requiresMore ? "" : "?")"
    return lines + [name, "    " + (request.map { $0 + ", " } ?? "") + stream, "  ) async throws" + result]
  }

  private func answer(_ method: IDL.Method, _ interface: IDL.Interface) -> [String] {
    var arguments: [String] = []
    if request(method, interface) != nil { arguments.append("call.request()") }
    if method.supportsMore { arguments.append(method.requiresMore ? "ReplyStream(stream)" : "call.replies(to: stream)") }
    let name = lowercased(method.name)
    let call = "try await \(name)(\(arguments.joined(separator: ", ")))"
    if reply(method, interface) != nil { return ["    case .\(name): return \(call)"] }
    return ["    case .\(name):", "      \(call)", "      return NoReply()"]
  }
}
