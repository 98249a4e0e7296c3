internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Varlink

/// The name of an object on a command line: `id:2`, `name:City News`, or a text that may be either.
enum ObjectName: Hashable {
  case id(Int64)
  case name(String)
  /// A number: an id, unless an object has this name.
  case number(Int64)

  init(_ text: String) throws {
    if text.hasPrefix("name:") {
      self = .name(String(text.dropFirst(5)))
    } else if text.hasPrefix("id:") {
      guard let id = Self.number(text.dropFirst(3)) else {
        throw ValidationError("id: must be followed by a number. Write 'name:\(text)' for a name that begins with id:.")
      }
      self = .id(id)
    } else if let number = Self.number(text[...]) {
      self = .number(number)
    } else {
      self = .name(text)
    }
  }

  private static func number(_ text: Substring) -> Int64? {
    text.allSatisfy { ("0"..."9").contains($0) } ? Int64(text) : nil
  }
}

/// The id of a post or a message, which have no names, on a command line: `7` or `id:7`.
struct ObjectID: ExpressibleByArgument, Hashable {
  let id: Int64

  init?(argument: String) {
    let digits = argument.hasPrefix("id:") ? argument.dropFirst(3) : argument[...]
    guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }), let id = Int64(digits), id > 0 else { return nil }
    self.id = id
  }
}

extension Session {
  func channel(_ text: String) async throws -> Channel {
    try await find(
      text, "channel", \.id, byID: { try await client.channels.get(id: $0) },
      byName: { try await client.channels.get(name: $0) })
  }

  func relay(_ text: String) async throws -> Relay {
    try await find(
      text, "relay", \.id, byID: { try await client.relays.get(id: $0) },
      byName: { try await client.relays.get(name: $0) })
  }

  func server(_ text: String) async throws -> Server {
    try ServerCommand.PasswordOption.check(text)
    return try await find(
      text, "server", \.id, byID: { try await client.servers.get(id: $0) },
      byName: { try await client.servers.get(name: $0) })
  }

  func provider(_ text: String) async throws -> Operator {
    try await find(
      text, "operator", \.id, byID: { try await client.operators.get(id: $0).operator },
      byName: { try await client.operators.get(name: $0).operator })
  }

  func identity(_ text: String) async throws -> Identity {
    try await find(
      text, "identity", \.id, byID: { try await client.identities.get(id: $0) },
      byName: { try await client.identities.get(name: $0) })
  }

  /// The one object that `text` names. A number that is one object's id and another object's name is refused, because some commands cannot
  /// be undone.
  private func find<Object>(
    _ text: String, _ kind: String, _ id: (Object) -> Int64, byID: (Int64) async throws -> Object,
    byName: (String) async throws -> Object
  ) async throws -> Object {
    let number: Int64
    switch try ObjectName(text) {
    case .id(let id): return try await byID(id)
    case .name(let name): return try await byName(name)
    case .number(let value): number = value
    }
    do {
      let named = try await byName(text)
      if id(named) == number { return named }
      throw Refusal(
        text: "\(text) is also the name of \(kind) \(id(named)): write id:\(text) or name:\(text)", status: 64,
        name: "local.AmbiguousName")
    } catch let error as VarlinkError where error.kind == .ambiguousName {
      throw Refusal(
        text: "\(text) is also the name of more than one \(kind): write id:\(text)", status: 64, name: "local.AmbiguousName",
        parameters: error.parameters)
    } catch let error as VarlinkError where error.kind == .noSuchObject {
      return try await byID(number)
    }
  }
}
