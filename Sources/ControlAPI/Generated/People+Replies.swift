// Written by `make generate` from org.batond.People.varlink.

/// A reply of org.batond.People.List.
public struct PeopleListReply: Codable, Hashable, Sendable {
  /// The people.
  public var people: [Person]
  /// Start of the next page, absent on the last page.
  public var nextCursor: String?

  public init(
    people: [Person],
    nextCursor: String? = nil
  ) {
    self.people = people
    self.nextCursor = nextCursor
  }
}

/// A reply that is one `Person`.
public struct PersonReply: Codable, Hashable, Sendable {
  /// The person.
  public var person: Person

  public init(
    person: Person
  ) {
    self.person = person
  }
}
