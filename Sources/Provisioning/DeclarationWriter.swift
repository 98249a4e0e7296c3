public import Channels
public import RelayNetwork

/// Writes the format that `DeclarationReader` reads. Passwords of servers are never written.
public enum DeclarationWriter {
  /// - Parameter time: writes a time as RFC 3339 does.
  public static func text(_ declarations: Declarations, time: (Timestamp) -> String) -> String {
    var lines: [String] = []
    if !declarations.operators.isEmpty { lines.append("operators:") }
    for item in declarations.operators {
      lines.append("  - name: \(quoted(item.name))")
      if let legalName = item.legalName { lines.append("    legalName: \(quoted(legalName))") }
      if !item.domains.isEmpty { lines.append("    domains: [\(item.domains.map(quoted).joined(separator: ", "))]") }
      lines.append("    enabled: \(item.isEnabled)")
      let smp = item.smpRoles
      lines.append("    smpRoles: {storage: \(smp.storage), proxy: \(smp.proxy), names: \(smp.names)}")
      lines.append("    xftpRoles: {storage: \(item.xftpRoles.storage), proxy: \(item.xftpRoles.proxy)}")
      if let accepted = item.conditionsAcceptedAt { lines.append("    conditionsAcceptedAt: \(quoted(time(accepted)))") }
      lines += servers(item.servers, indent: "    ") + relays(item.relays, indent: "    ")
    }
    lines += servers(declarations.servers, indent: "") + relays(declarations.relays, indent: "")
    return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
  }

  private static func servers(_ servers: [Declarations.Server], indent: String) -> [String] {
    guard !servers.isEmpty else { return [] }
    var lines = ["\(indent)servers:"]
    for item in servers {
      lines.append("\(indent)  - address: \(quoted(item.address.text))")
      if !item.isEnabled { lines.append("\(indent)    enabled: false") }
      let roles = [("storage", item.roles.storage), ("proxy", item.roles.proxy), ("names", item.roles.names)]
      let said = roles.compactMap { name, value in value.map { "\(name): \($0)" } }
      if !said.isEmpty { lines.append("\(indent)    roles: {\(said.joined(separator: ", "))}") }
    }
    return lines
  }

  private static func relays(_ relays: [Declarations.Relay], indent: String) -> [String] {
    guard !relays.isEmpty else { return [] }
    var lines = ["\(indent)relays:"]
    for item in relays {
      lines.append("\(indent)  - address: \(quoted(item.address.text))")
      lines.append("\(indent)    network: \(item.network.rawValue)")
      if let name = item.name { lines.append("\(indent)    name: \(quoted(name))") }
      if !item.domains.isEmpty { lines.append("\(indent)    domains: [\(item.domains.map(quoted).joined(separator: ", "))]") }
      if !item.isEnabled { lines.append("\(indent)    enabled: false") }
    }
    return lines
  }

  /// Returns the text in double quotes, where every character stands for itself once these are escaped.
  private static func quoted(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      case _ where isHidden(scalar):
        let (letter, width) = scalar.value > 0xFFFF ? ("U", 8) : ("u", 4)
        let hex = String(scalar.value, radix: 16)
        escaped += "\\\(letter)" + String(repeating: "0", count: width - hex.count) + hex
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return "\"\(escaped)\""
  }

  /// Returns whether YAML does not accept the character unescaped, or it is invisible where the file is shown.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }
}
