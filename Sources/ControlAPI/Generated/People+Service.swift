// Written by `make generate` from org.batond.People.varlink.

public import StrictJSON
public import Varlink

/// The methods of `org.batond.People`.
public enum PeopleMethod: String, InterfaceMethod {
  case list = "org.batond.People.List"
  case get = "org.batond.People.Get"
  case setMuted = "org.batond.People.SetMuted"
}

/// What a server of `org.batond.People` does.
public protocol PeopleService: InterfaceService where Method == PeopleMethod, Refusal == PeopleRefusal {
  /// A page of people, the one who wrote last first, by the minute. If the daemon reads no messages, there are none.
  func list(_ request: PeopleListRequest) async throws -> PeopleListReply
  /// One person.
  func get(_ request: PeopleGetRequest) async throws -> PersonReply
  /// Hides all messages of a person, present and future, in all channels, or shows them again. Messages that were hidden one by one remain
  /// hidden. Relays continue to show them, and no one else learns of it.
  func setMuted(_ request: PeopleSetMutedRequest) async throws -> PersonReply
}

extension PeopleService {
  public func answer(
    _ method: PeopleMethod, _ call: VarlinkCall, _ stream: VarlinkStream
  ) async throws -> any JSONWritable {
    switch method {
    case .list: return try await list(call.request())
    case .get: return try await get(call.request())
    case .setMuted: return try await setMuted(call.request())
    }
  }
}
