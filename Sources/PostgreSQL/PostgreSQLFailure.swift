/// Why something was not done in PostgreSQL, and whether it may have happened anyway.
public enum PostgreSQLFailure: Error, Hashable, Sendable {
  /// The server refused a statement. No statement sent with it has happened, and the connection can be used further.
  case refused(SQLError)
  /// There is no connection, or it broke before the server had everything. Nothing has happened.
  case unavailable(String)
  /// The connection broke, or time was up, after the server had everything, or the server itself was not sure. No one knows whether it
  /// happened.
  case inDoubt(String)
}

extension PostgreSQLFailure: CustomStringConvertible {
  /// A sentence for people, without passwords.
  public var description: String {
    switch self {
    case .refused(let error): error.description
    case .unavailable(let words), .inDoubt(let words): words
    }
  }
}

/// An error of the server.
public struct SQLError: Hashable, Sendable, CustomStringConvertible {
  /// The five characters that name the kind of error (SQLSTATE), such as 23505.
  public let state: String
  /// In the server's words and language.
  public let message: String
  /// The constraint that was violated, or `nil` without one.
  public let constraint: String?
  /// The statement that failed, counted from 0, or `nil` if it was the end of the transaction, or the connection as a whole.
  public let statement: Int?

  public init(state: String, message: String, constraint: String? = nil, statement: Int? = nil) {
    self.state = state
    self.message = message
    self.constraint = constraint
    self.statement = statement
  }

  public var description: String { "\(message) (SQLSTATE \(state))" }
}
