internal import StrictJSON
internal import Synchronization
public import Varlink

/// The server's side of the certification.
public final class CertificationServer: VarlinkInterface {
  public let definition: IDL.Interface
  /// The step that each client is at.
  private let progress = Mutex<[String: Int]>([:])

  public init() throws { definition = try IDL.parse(Self.text, grammar: .full) }

  /// The number of clients that have begun and not finished.
  public var openCount: Int { progress.withLock { $0.count } }

  public func answer(
    _ call: VarlinkCall, from peer: VarlinkPeer, stream: VarlinkStream
  ) async throws -> EncodedParameters {
    if call.name == "Start" {
      guard call.mode == .single else { throw refusal("a single call of Start", call) }
      let id = String(UInt64.random(in: 0 ... .max), radix: 16)
      progress.withLock { $0[id] = 0 }
      return ["client_id": .string(id)]
    }
    guard let id = call.parameters["client_id"]?.string, let index = progress.withLock({ $0[id] }) else {
      throw VarlinkError("\(Certification.name).ClientIdError")
    }
    let step = Certification.steps[index]
    var wanted = step.parameters
    wanted["client_id"] = .string(id)
    guard call.name == step.method, call.mode == step.mode,
      Certification.isSame(.object(call.parameters), .object(wanted))
    else {
      // A client that makes a mistake starts over.
      progress.withLock { $0[id] = nil }
      throw refusal(VarlinkCall(method: "\(Certification.name).\(step.method)", parameters: wanted, mode: step.mode).json, call)
    }
    progress.withLock { $0[id] = index + 1 < Certification.steps.count ? index + 1 : nil }
    for reply in step.replies.dropLast() { try await stream.send(EncodedParameters(reply)) }
    return EncodedParameters(step.replies.last ?? [:])
  }

  private func refusal(_ wants: JSONValue, _ call: VarlinkCall) -> VarlinkError {
    VarlinkError("\(Certification.name).CertificationError", ["wants": wants, "got": call.json])
  }

  private static let text = """
    # Tells whether two implementations of Varlink understand each other.
    interface org.varlink.certification

    # Optional values in arrays and maps, and a structure without a name.
    type Interface (foo: ?[]?[string](foo, bar, baz), anon: (foo: bool, bar: bool))

    # One member of every kind.
    type MyType (
    	object: object,
    	enum: (one, two, three),
    	struct: (first: int, second: string),
    	array: []string,
    	dictionary: [string]string,
    	stringset: [string](),
    	nullable: ?string,
    	nullable_array_struct: ?[](first: int, second: string),
    	interface: Interface
    )

    # Begins. All other methods take the identifier that this one returns, and what the method before them returned.
    method Start() -> (client_id: string)

    method Test01(client_id: string) -> (bool: bool)

    method Test02(client_id: string, bool: bool) -> (int: int)

    method Test03(client_id: string, int: int) -> (float: float)

    method Test04(client_id: string, float: float) -> (string: string)

    method Test05(client_id: string, string: string) -> (bool: bool, int: int, float: float, string: string)

    method Test06(client_id: string, bool: bool, int: int, float: float, string: string) -> (
    	struct: (bool: bool, int: int, float: float, string: string)
    )

    method Test07(
    	client_id: string,
    	struct: (bool: bool, int: int, float: float, string: string)
    ) -> (map: [string]string)

    method Test08(client_id: string, map: [string]string) -> (set: [string]())

    method Test09(client_id: string, set: [string]()) -> (mytype: MyType)

    # Answers ten times to a call with 'more'.
    method Test10(client_id: string, mytype: MyType) -> (string: string)

    # Takes the answers of Test10, in a call with 'oneway'.
    method Test11(client_id: string, last_more_replies: []string) -> ()

    # Whether everything was as it must be.
    method End(client_id: string) -> (all_ok: bool)

    # No one began with this identifier.
    error ClientIdError ()

    # Another call had to come.
    error CertificationError (wants: object, got: object)

    """
}

extension VarlinkCall {
  /// The call as the members of its message.
  fileprivate var json: JSONValue {
    var members: [String: JSONValue] = ["method": .string(method), "parameters": .object(parameters)]
    switch mode {
    case .single: break
    case .more: members["more"] = true
    case .oneway: members["oneway"] = true
    case .upgrade: members["upgrade"] = true
    }
    return .object(members)
  }
}
