// Written by `make generate` from org.batond.People.varlink.

public import ControlAPI

extension BatonClient {
  /// The calls of `org.batond.People`.
  public var people: PeopleClient { PeopleClient(client: self) }
}

/// Calls the methods of `org.batond.People`. Each call throws a `VarlinkError` if the daemon refuses it, which
/// `PeopleRefusal` turns into a case with fields.
public struct PeopleClient: Sendable {
  let client: BatonClient

  /// Returns a page of people, latest writer first, by the minute. Empty if the daemon reads no messages.
  public func list(_ request: PeopleListRequest = PeopleListRequest()) async throws -> PeopleListReply {
    try await client.reply(to: PeopleMethod.list, request)
  }

  /// Returns one person.
  public func get(_ request: PeopleGetRequest) async throws -> Person {
    let reply: PersonReply = try await client.reply(to: PeopleMethod.get, request)
    return reply.person
  }

  /// Returns one person.
  public func get(author: String) async throws -> Person {
    try await get(PeopleGetRequest(author: author))
  }

  /// Hides all present and future messages of a person in all channels, or shows them again. Messages hidden one by one remain hidden.
  /// Relays still show them, and no one else is told.
  public func setMuted(_ request: PeopleSetMutedRequest) async throws -> Person {
    let reply: PersonReply = try await client.reply(to: PeopleMethod.setMuted, request)
    return reply.person
  }

  /// Hides all present and future messages of a person in all channels, or shows them again. Messages hidden one by one remain hidden.
  /// Relays still show them, and no one else is told.
  public func setMuted(author: String, muted: Bool) async throws -> Person {
    try await setMuted(PeopleSetMutedRequest(author: author, muted: muted))
  }
}
