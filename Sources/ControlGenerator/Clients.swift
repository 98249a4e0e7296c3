internal import Varlink

extension Generator {
  /// The greatest number of parameters that a call takes one by one as well as in a request.
  private static let argumentsMax = 3

  /// The calls of an interface as functions.
  func client(of interface: IDL.Interface) -> String {
    let name = title(interface)
    var lines = [
      "extension BatonClient {", "  /// The calls of `\(interface.name)`.",
      "  public var \(lowercased(name)): \(name)Client { \(name)Client(client: self) }", "}", "",
      "/// Calls the methods of `\(interface.name)`. Each call throws a `VarlinkError` if the daemon refuses it, which",
      "/// `\(name)Refusal` turns into a case with fields.",
      "public struct \(name)Client: Sendable {", "  let client: BatonClient", "",
    ]
    for method in interface.methods {
      if !method.requiresMore { lines += call(method, interface) }
      if method.supportsMore { lines += stream(method, interface) }
      if isList(method) { lines += pages(method, interface) }
    }
    return (lines.dropLast() + ["}", ""]).joined(separator: "\n")
  }

  private func call(_ method: IDL.Method, _ interface: IDL.Interface) -> [String] {
    let name = lowercased(method.name)
    let call = "try await client.reply(to: \(arguments(method, interface)))"
    let field = onlyField(method)
    let reply = reply(method, interface)
    let result = (field.map(swift) ?? reply).map { " -> \($0)" } ?? ""
    let body =
      if let reply, let field {
        ["    let reply: \(reply) = \(call)", "    return reply.\(escaped(field.name))"]
      } else {
        ["    " + (reply == nil ? "let _: Nothing = " : "") + call]
      }
    return documented(method) + ["  public func \(name)(\(parameters(method, interface))) async throws\(result) {"] + body
      + ["  }", ""] + brief(method, interface, name, result)
  }

  private func stream(_ method: IDL.Method, _ interface: IDL.Interface) -> [String] {
    guard let reply = reply(method, interface) else { return [] }
    let name = lowercased(method.name) + (method.requiresMore ? "" : "AndFollow")
    let field = onlyField(method)
    let result = " -> some AsyncSequence<\(field.map(swift) ?? reply), any Error> & Sendable"
    let stream = "try await client.replies(to: \(arguments(method, interface)), of: \(reply).self)"
    return documented(method) + [
      "  public func \(name)(\(parameters(method, interface))) async throws\(result) {",
      "    \(stream)" + (field.map { ".map { $0.\(escaped($0.name)) }" } ?? ""), "  }", "",
    ] + brief(method, interface, name, result)
  }

  /// The call that lists all objects, however many pages they fill.
  private func pages(_ method: IDL.Method, _ interface: IDL.Interface) -> [String] {
    guard let field = method.output.first else { return [] }
    let name = "all" + (method.name == "List" ? "" : method.name)
    return [
      "  /// All pages of `\(lowercased(method.name))`.",
      "  public func \(name)(filter: JSONValue? = nil, sort: [JSONValue]? = nil) async throws -> \(swift(field)) {",
      "    try await client.pages(ListRequest(filter: filter, sort: sort), of: \(lowercased(method.name))) { ($0.\(field.name), $0.nextCursor) }",
      "  }", "",
    ]
  }

  /// The only member of a method's replies, which a call returns in place of the reply.
  private func onlyField(_ method: IDL.Method) -> IDL.Field? { method.output.count == 1 ? method.output.first : nil }

  private func parameters(_ method: IDL.Method, _ interface: IDL.Interface) -> String {
    guard let request = request(method, interface) else { return "" }
    let mayBeEmpty = method.input.count > Self.argumentsMax && method.input.allSatisfy(isOptional)
    return "_ request: \(request)" + (mayBeEmpty ? " = \(request)()" : "")
  }

  private func arguments(_ method: IDL.Method, _ interface: IDL.Interface) -> String {
    let isEmpty = request(method, interface) == nil
    return "\(title(interface))Method.\(lowercased(method.name)), \(isEmpty ? "Nothing()" : "request")"
  }

  /// The same call with its parameters one by one, if they are few.
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - result: what it returns, as in its declaration.
  private func brief(_ method: IDL.Method, _ interface: IDL.Interface, _ name: String, _ result: String) -> [String] {
    guard let request = request(method, interface), method.input.count <= Self.argumentsMax else { return [] }
    let parameters = method.input.map { "\($0.name): \(swift($0))\(isOptional($0) ? " = nil" : "")" }.joined(separator: ", ")
    let members = method.input.map { "\($0.name): \(escaped($0.name))" }.joined(separator: ", ")
    return documented(method) + [
      "  public func \(name)(\(parameters)) async throws\(result) {", "    try await \(name)(\(request)(\(members)))", "  }",
      "",
    ]
  }

  private func isOptional(_ field: IDL.Field) -> Bool { if case .optional = field.type { true } else { false } }
}
