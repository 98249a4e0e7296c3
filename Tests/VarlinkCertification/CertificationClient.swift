internal import StrictJSON
public import Varlink

/// The client's side of the certification.
public enum CertificationClient {
  /// An answer that must not come.
  public struct Unexpected: Error, CustomStringConvertible {
    public let description: String
  }

  /// Goes through the whole conversation with the server at the other end.
  /// - Throws: `Unexpected` for an answer that is wrong, `VarlinkError` when the server refuses a call, `VarlinkClient.Failure`.
  public static func run(_ client: VarlinkClient) async throws {
    let start = try await client.call(Certification.name + ".Start")
    guard let id = start["client_id"], id.string != nil, start.count == 1 else {
      throw Unexpected(description: "Start: \(start)")
    }
    /// Each method takes the result of the one before.
    var passedOn: [String: JSONValue] = [:]
    for step in Certification.steps {
      let method = "\(Certification.name).\(step.method)"
      var parameters = step.parameters.filter { passedOn[$0.key] == nil }.merging(passedOn) { $1 }
      parameters["client_id"] = id
      var replies: [[String: JSONValue]] = []
      switch step.mode {
      case .single, .upgrade: replies = [try await client.call(method, parameters)]
      case .oneway: try await client.callOneway(method, parameters)
      case .more:
        for try await reply in client.callMore(method, parameters) {
          guard reply.continues == (replies.count + 1 < step.replies.count) else {
            throw Unexpected(description: "\(step.method): reply \(replies.count + 1) says continues: \(reply.continues)")
          }
          replies.append(reply.parameters)
        }
      }
      // Some servers return the identifier with an answer.
      replies = replies.map { $0.filter { $0.key != "client_id" } }
      guard Certification.isSame(.array(replies.map(JSONValue.object)), .array(step.replies.map(JSONValue.object))) else {
        throw Unexpected(description: "\(step.method): \(JSONValue.array(replies.map(JSONValue.object)).text)")
      }
      passedOn = replies.count == 1 ? replies[0] : [:]
      if step.mode == .more { passedOn = ["last_more_replies": .array(replies.compactMap { $0["string"] })] }
    }
  }
}
