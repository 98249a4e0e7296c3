public import Channels
public import RelayNetwork
internal import Yams

/// Reads the files that declare operators, servers and relays, and reports all their errors.
public struct DeclarationReader {
  /// Largest file accepted, in bytes.
  public static let fileBytesMax = 1 << 20
  /// Most operators, servers and relays accepted from all files together.
  public static let objectsMax = 20_000
  /// Most domains of one operator or relay.
  public static let domainsMax = 100
  /// Most errors reported about all files together.
  public static let flawsMax = 200

  private let addressing: [NetworkKind: any RelayAddressing]
  private let servers: any ServerNetwork
  private let time: (String) -> Timestamp?
  private var declarations = Declarations()
  private var flaws: [FileFlaw] = []
  private var file = ""
  private var count = 0
  /// The places of names and addresses, so that the error about the second of two can name the first.
  private var places: [String: String] = [:]

  /// - Parameter time: reads a time as RFC 3339 writes it, or returns nil when the text is not a time.
  public init(
    addressing: [any RelayAddressing], servers: any ServerNetwork, time: @escaping (String) -> Timestamp?
  ) {
    self.addressing = Dictionary(addressing.map { ($0.kind, $0) }) { first, _ in first }
    self.servers = servers
    self.time = time
  }

  /// Reads one file.
  /// - Parameter name: how the file is called in messages and in its declarations.
  public mutating func read(_ text: String, name: String) {
    file = name
    guard text.utf8.count <= Self.fileBytesMax else {
      return note(nil, "the file has more than \(Self.fileBytesMax) bytes")
    }
    let root: Yams.Node?
    do {
      root = try YAMLTrouble.compose(text)
    } catch {
      flaws.append(FileFlaw(file: name, line: error.line, column: error.column, text: error.text))
      return
    }
    guard let root, root.null == nil else { return }
    for (key, node, mark) in members(root, "the file", ["operators", "servers", "relays"]) {
      switch key {
      case "operators": for item in list(node, mark, key) { readOperator(item) }
      case "servers": declarations.servers += list(node, mark, key).compactMap { readServer($0) }
      default: declarations.relays += list(node, mark, key).compactMap { readRelay($0) }
      }
    }
  }

  /// Reports that a whole file cannot be read.
  public mutating func refuse(_ name: String, _ text: String) {
    flaws.append(FileFlaw(file: name, line: nil, column: nil, text: text))
  }

  /// Returns the declarations of all files together.
  /// - Throws: `FileFlaws` when any of them has an error.
  public func result() throws(FileFlaws) -> Declarations {
    guard flaws.isEmpty else { throw FileFlaws(flaws: flaws) }
    return declarations
  }

  // MARK: - Objects

  private mutating func readOperator(_ node: Yams.Node) {
    guard take(node) else { return }
    let keys = [
      "name", "legalName", "domains", "enabled", "smpRoles", "xftpRoles", "conditionsAcceptedAt", "servers", "relays",
    ]
    var item = Declarations.Operator(file: file, name: "")
    for (key, value, mark) in members(node, "an operator", keys) {
      switch key {
      case "name": item.name = name(value, key) ?? ""
      case "legalName": item.legalName = name(value, key)
      case "domains": item.domains = domains(value, mark, key)
      case "enabled": item.isEnabled = flag(value, key) ?? true
      case "smpRoles": item.smpRoles = item.smpRoles.with(roles(value, key, hasNames: true), on: .smp)
      case "xftpRoles": item.xftpRoles = item.xftpRoles.with(roles(value, key, hasNames: false), on: .xftp)
      case "conditionsAcceptedAt":
        guard let text = text(value, key) else { continue }
        item.conditionsAcceptedAt = time(text)
        if item.conditionsAcceptedAt == nil {
          note(value, "conditionsAcceptedAt must be a time such as 2026-01-31T12:00:00Z, it is '\(text)'")
        }
      case "servers": item.servers = list(value, mark, key).compactMap { readServer($0) }
      default: item.relays = list(value, mark, key).compactMap { readRelay($0) }
      }
    }
    guard !item.name.isEmpty else {
      if isMissing("name", node) { note(node, "the operator has no name") }
      return
    }
    guard isFirst("operator \(ObjectName.key(item.name))", node, "the operator '\(item.name)'") else { return }
    declarations.operators.append(item)
  }

  private mutating func readServer(_ node: Yams.Node) -> Declarations.Server? {
    guard take(node) else { return nil }
    var address: ServerAddress?
    var isEnabled = true
    var override = ServerRoles.Override()
    var place = node
    for (key, value, _) in members(node, "a server", ["address", "enabled", "roles"]) {
      switch key {
      case "address":
        guard let text = text(value, key) else { continue }
        place = value
        do throws(InvalidAddress) {
          address = try servers.parse(server: text)
        } catch {
          note(value, "'\(error.address)' is not a server address: \(error.reason)", offset: error.position)
        }
      case "enabled": isEnabled = flag(value, key) ?? true
      default: override = roles(value, key, hasNames: true)
      }
    }
    if isMissing("address", node) { note(node, "the server has no address") }
    guard let address, isFirst("server \(address.text)", place, "the server \(address.text)") else { return nil }
    if address.transport == .xftp, override.names != nil {
      note(place, "file servers have no role 'names'")
    }
    return Declarations.Server(file: file, address: address, isEnabled: isEnabled, roles: override)
  }

  private mutating func readRelay(_ node: Yams.Node) -> Declarations.Relay? {
    guard take(node) else { return nil }
    var network: NetworkKind?
    var addressNode: (node: Yams.Node, text: String)?
    var item = (name: String?.none, domains: [String](), isEnabled: true)
    for (key, value, mark) in members(node, "a relay", ["address", "network", "name", "domains", "enabled"]) {
      switch key {
      case "address": addressNode = text(value, key).map { (value, $0) }
      case "network":
        guard let text = text(value, key) else { continue }
        network = NetworkKind(rawValue: text)
        if network == nil {
          let known = NetworkKind.allCases.map(\.rawValue).joined(separator: " or ")
          note(value, "unknown network '\(text)': write \(known)")
          return nil
        }
      case "name": item.name = name(value, key)
      case "domains": item.domains = domains(value, mark, key)
      default: item.isEnabled = flag(value, key) ?? true
      }
    }
    if isMissing("address", node) { note(node, "the relay has no address") }
    guard let (place, text) = addressNode else { return nil }
    // Addresses of the networks look different enough to do without saying which it is.
    let kind = network ?? .lookingLike(text)
    guard let parser = addressing[kind] else {
      note(place, "this program does not support addresses of the network '\(kind.rawValue)'")
      return nil
    }
    do throws(InvalidAddress) {
      let address = try parser.parse(address: text)
      guard isFirst("relay \(kind.rawValue) \(address.comparisonKey)", place, "the relay \(address.text)") else { return nil }
      if let name = item.name, !isFirst("relay name \(ObjectName.key(name))", place, "a relay named '\(name)'") { return nil }
      return Declarations.Relay(
        file: file, line: place.mark?.line, network: kind, address: address, name: item.name, domains: item.domains,
        isEnabled: item.isEnabled)
    } catch {
      note(place, "'\(error.address)' is not a relay address: \(error.reason)", offset: error.position)
      return nil
    }
  }

  // MARK: - Pieces

  private mutating func note(_ node: Yams.Node?, _ text: String, offset: Int? = nil) {
    var offset = offset
    if case .scalar(let scalar)? = node, let given = offset {
      // The mark stands at the quote. In a block it is not the place of the text.
      switch scalar.style {
      case .singleQuoted, .doubleQuoted: offset = given + 1
      case .literal, .folded: offset = nil
      case .any, .plain: break
      }
    }
    note(at: node?.mark, text, offset: offset)
  }

  private mutating func note(at mark: Mark?, _ text: String, offset: Int? = nil) {
    guard flaws.count <= Self.flawsMax else { return }
    if flaws.count == Self.flawsMax {
      return flaws.append(FileFlaw(file: file, line: nil, column: nil, text: "and more that is not listed"))
    }
    let column = mark.map { $0.column + (offset ?? 0) }
    flaws.append(FileFlaw(file: file, line: mark?.line, column: column, text: text))
  }

  private mutating func take(_ node: Yams.Node) -> Bool {
    count += 1
    if count == Self.objectsMax + 1 { note(node, "more than \(Self.objectsMax) operators, servers and relays are not allowed") }
    return count <= Self.objectsMax
  }

  private mutating func isFirst(_ key: String, _ node: Yams.Node, _ what: String) -> Bool {
    let place = "\(file):\(node.mark?.line ?? 1)"
    guard let first = places.updateValue(place, forKey: key) else { return true }
    places[key] = first
    note(node, "\(what) is declared twice, first at \(first)")
    return false
  }

  private func isMissing(_ key: String, _ node: Yams.Node) -> Bool {
    guard case .mapping(let mapping) = node else { return false }
    return !mapping.contains { $0.key.string == key && $0.value.null == nil }
  }

  private mutating func members(
    _ node: Yams.Node, _ what: String, _ known: [String]
  ) -> [(key: String, node: Yams.Node, mark: Mark?)] {
    guard case .mapping(let mapping) = node else {
      note(node, "\(what) must be written as members such as '\(known[0]):'")
      return []
    }
    var found: [(String, Yams.Node, Mark?)] = []
    for (key, value) in mapping {
      let name = key.string ?? ""
      guard known.contains(name) else {
        note(key, "\(what) has no member '\(name)': it may have \(known.joined(separator: ", "))")
        continue
      }
      if value.null == nil { found.append((name, value, value.mark ?? key.mark)) }
    }
    return found
  }

  private mutating func list(_ node: Yams.Node, _ mark: Mark?, _ key: String) -> [Yams.Node] {
    guard case .sequence(let sequence) = node else {
      note(at: mark, "\(key) must be a list, each item beginning with '- '")
      return []
    }
    return Array(sequence.prefix(Self.objectsMax + 1))
  }

  private mutating func text(_ node: Yams.Node, _ key: String) -> String? {
    guard case .scalar(let scalar) = node, !scalar.string.isEmpty else {
      note(node, "\(key) must be one text")
      return nil
    }
    return scalar.string
  }

  private mutating func name(_ node: Yams.Node, _ key: String) -> String? {
    guard let text = text(node, key) else { return nil }
    do {
      return try ObjectName.validated(text)
    } catch {
      note(node, "\(key): \(error.reason)")
      return nil
    }
  }

  private mutating func flag(_ node: Yams.Node, _ key: String) -> Bool? {
    if let value = node.bool { return value }
    note(node, "\(key) must be true or false")
    return nil
  }

  private mutating func domains(_ node: Yams.Node, _ mark: Mark?, _ key: String) -> [String] {
    var domains: [String] = []
    let items = list(node, mark, key)
    if items.count > Self.domainsMax { note(items[Self.domainsMax], "more than \(Self.domainsMax) domains are not taken") }
    for item in items.prefix(Self.domainsMax) {
      guard let text = text(item, key) else { continue }
      do {
        let domain = try Domain.validated(text)
        if !domains.contains(domain) { domains.append(domain) }
      } catch {
        note(item, error.reason)
      }
    }
    return domains
  }

  private mutating func roles(_ node: Yams.Node, _ key: String, hasNames: Bool) -> ServerRoles.Override {
    var roles = ServerRoles.Override()
    for (role, value, _) in members(node, key, ["storage", "proxy"] + (hasNames ? ["names"] : [])) {
      let isOn = flag(value, "\(key).\(role)")
      switch role {
      case "storage": roles.storage = isOn
      case "proxy": roles.proxy = isOn
      default: roles.names = isOn
      }
    }
    return roles
  }
}

/// All that is wrong with the files.
public struct FileFlaws: Error, Hashable, Sendable {
  public let flaws: [FileFlaw]
}
