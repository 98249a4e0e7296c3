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
  /// Returns a page of people, latest writer first, by the minute. Empty if the daemon reads no messages.
  func list(_ request: PeopleListRequest) async throws -> PeopleListReply
  /// Returns one person.
  func get(_ request: PeopleGetRequest) async throws -> PersonReply
  /// Hides all present and future messages of a person in all channels, or shows them again. Messages hidden one by one remain hidden.
  /// Relays still show them, and no one else is told.
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
