public import StrictJSON

extension CoreModel {
  /// Addresses of the relays that come with a core.
  public static let presetRelays = [
    "https://smp5.simplex.im/r#Fp5RWXkiRFg-hgcDwC2v-MWnPfvEf42RgCqREntW0mw",
    "https://smp6.simplex.im/r#_qlQfogHGDJ8MAF2wKmkglRBM-xHR142gDJstKiGRQQ",
    "https://smp4.simplex.im/r#yxNOMJcry5jMTRPEBVtGBATYaKeoRIsZRBPIDLx7x6M",
  ]

  /// A core as it is after its first start: two operators with their servers, the three preset relays with the numbers 1 to 3, and
  /// an empty group for what belongs to no one.
  public static func withPresets(userName: String = "owner") -> CoreModel {
    var model = CoreModel(userName: userName)
    let simplex = Self.operator(1, "simplex", "SimpleX Chat", "SimpleX Chat Ltd", "simplex.im", storage: true)
    let flux = Self.operator(2, "flux", "Flux", "InFlux Technologies Limited", "simplexonflux.com", storage: false)
    let relays = presetRelays.enumerated().map { index, address -> JSONValue in
      var members =
        relay(id: Int64(index + 1), address: address, name: "SimpleX Chat Relay \(index + 1)").object ?? [:]
      members["domains"] = ["simplex.im"]
      members["preset"] = true
      return .object(members)
    }
    model.operators = [simplex, flux]
    model.serverGroups = [
      presetGroup(simplex, "simplex.im", firstID: 1, relays), presetGroup(flux, "simplexonflux.com", firstID: 11, []),
      ["smpServers": [], "xftpServers": [], "chatRelays": []],
    ]
    model.nextID = 100
    return model
  }

  private static func `operator`(
    _ id: Int64, _ tag: String, _ name: String, _ legalName: String, _ domain: String, storage: Bool
  ) -> JSONValue {
    [
      "operatorId": .integer(id), "operatorTag": .string(tag), "tradeName": .string(name), "legalName": .string(legalName),
      "serverDomains": [.string(domain)], "conditionsAcceptance": ["type": "required"], "enabled": true,
      "smpRoles": ["storage": .bool(storage), "proxy": true, "names": true],
      "xftpRoles": ["storage": true, "proxy": true, "names": false],
    ]
  }

  private static func presetGroup(
    _ owner: JSONValue, _ domain: String, firstID: Int64, _ relays: [JSONValue]
  ) -> JSONValue {
    func servers(_ transport: String, from first: Int64) -> JSONValue {
      .array(
        (1...3).map { number in
          [
            "serverId": .integer(first + number), "preset": true, "enabled": true, "roles": [:], "deleted": false,
            "server": .string(
              "\(transport)://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@\(transport)\(number).\(domain)"),
          ]
        })
    }
    return [
      "operator": owner, "smpServers": servers("smp", from: firstID), "xftpServers": servers("xftp", from: firstID + 4),
      "chatRelays": .array(relays),
    ]
  }
}

extension CoreModel {
  /// Changes the first operator, as its user can.
  public mutating func editFirstOperator(_ edit: (inout [String: JSONValue]) -> Void) {
    guard var group = serverGroups.first?.object, var members = group["operator"]?.object else { return }
    edit(&members)
    group["operator"] = .object(members)
    serverGroups[0] = .object(group)
    operators[0] = .object(members)
  }
}
