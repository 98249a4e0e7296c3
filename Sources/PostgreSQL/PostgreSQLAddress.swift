internal import CPostgreSQL
internal import Glibc

/// Where a database is, and how to get in. It may contain a password, so it is never shown as a whole.
public struct PostgreSQLAddress: Hashable, Sendable {
  /// One server of several that may have the database.
  public struct Host: Hashable, Sendable, CustomStringConvertible {
    /// A name, an address, or the folder of a Unix socket. Empty for libpq's own choice.
    public let name: String
    /// The address to use instead of looking `name` up, or `nil` if it is looked up.
    public let address: String?
    /// `nil` for the default.
    public let port: String?

    /// Whether it is on this machine, if libpq uses no other address for it. Libpq's own choice may be anywhere.
    fileprivate var isLocal: Bool {
      if let address { return Self.isLoopback(address) }
      return name.hasPrefix("/") || name.lowercased() == "localhost" || Self.isLoopback(name)
    }

    private static func isLoopback(_ text: String) -> Bool {
      var (four, six) = (in_addr(), in6_addr())
      if inet_pton(AF_INET, text, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
      return inet_pton(AF_INET6, text, &six) == 1
        && withUnsafeBytes(of: &six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }

    public var description: String {
      let name = self.name.isEmpty ? address ?? "the local server" : self.name
      return port.map { "\(name), port \($0)" } ?? name
    }
  }

  /// The servers in the order in which they are tried.
  public let hosts: [Host]
  /// Further settings for libpq, by keyword.
  private let settings: [String: String]

  /// Settings that Baton chooses itself.
  private static let reserved: Set<String> = [
    "target_session_attrs", "client_encoding", "fallback_application_name", "replication",
  ]
  private static let hostsMax = 16

  /// Reads an address, as in `postgresql://user@one,two:5433/baton?sslmode=verify-full`, or `host=one dbname=baton`. Several servers are
  /// tried one by one only if the address lists them. Servers of a service file or the environment are left to libpq.
  /// - Throws: `unavailable` if libpq cannot be loaded, and `refused` with the SQLSTATE 08001 if the text is not an address.
  public init(_ text: String) throws(PostgreSQLFailure) {
    try Self.loadLibrary()
    var fault: UnsafeMutablePointer<CChar>?
    guard let words = pq_settings(text, &fault) else {
      defer { free(fault) }
      throw Self.invalid(Self.withoutQuotes(fault.map { String(cString: $0) } ?? "it is malformed"))
    }
    defer { pq_freeWords(words) }
    var settings: [String: String] = [:]
    var word = words
    while let key = word.pointee, let value = word.advanced(by: 1).pointee {
      settings[String(cString: key)] = String(cString: value)
      word = word.advanced(by: 2)
    }
    if let key = Self.reserved.intersection(settings.keys).min() {
      throw Self.invalid("'\(key)' is Baton's to decide. Leave it out")
    }
    hosts = try Self.hosts(settings)
    for key in ["host", "hostaddr", "port"] { settings[key] = nil }
    // Without it a connection whose other end has gone silent is trusted for a quarter of an hour.
    settings["tcp_user_timeout"] = settings["tcp_user_timeout"] ?? "3000"
    self.settings = settings
  }

  /// The settings of libpq for one of the servers, without its place, by keyword. Without a setting for encryption libpq would give the
  /// password to any server that claims to have no encryption, so the certificate is checked unless the address itself demands otherwise.
  func settings(for host: Host) -> [String: String] {
    guard sslMode == nil, !isLocal(host) else { return settings }
    return settings.merging(["sslmode": Self.checked]) { _, own in own }
  }

  /// Whether a server is on this machine for sure. Without a network address in the address, libpq uses a service file or the environment.
  private func isLocal(_ host: Host) -> Bool {
    let mayBeElsewhere = settings["service"]?.isEmpty == false || getenv("PGHOSTADDR") != nil || getenv("PGSERVICE") != nil
    return host.isLocal && (host.address != nil || !mayBeElsewhere)
  }

  /// The encryption of connections that the address sets, or `nil` without it.
  private var sslMode: String? { settings["sslmode"].flatMap { $0.isEmpty ? nil : $0 } }

  private static let checked = "verify-full"

  /// The `sslmode` of the address if it lets another server get the password or change data. Otherwise `nil`.
  public var weakMode: String? {
    guard let sslMode, sslMode != Self.checked, !hosts.allSatisfy(isLocal) else { return nil }
    return sslMode
  }

  /// Whether a secret is written in the address, rather than in a file that it names.
  public var hasSecret: Bool {
    ["password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"].contains {
      settings[$0]?.isEmpty == false
    }
  }

  /// Loads libpq, unless it is loaded.
  /// - Throws: `unavailable`, with the remedy.
  public static func loadLibrary() throws(PostgreSQLFailure) {
    if let fault = pq_load() { throw .unavailable(String(cString: fault)) }
  }

  /// Pairs the lists of names, addresses and ports, as libpq does.
  private static func hosts(_ settings: [String: String]) throws(PostgreSQLFailure) -> [Host] {
    func list(_ key: String) -> [String] {
      settings[key].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
    }
    let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
    let count = max(names.count, addresses.count, 1)
    guard count <= hostsMax else { throw invalid("there are more than \(hostsMax) hosts") }
    guard names.isEmpty || addresses.isEmpty || names.count == addresses.count else {
      throw invalid("there must be as many addresses as names of hosts")
    }
    guard ports.count <= 1 || ports.count == count else { throw invalid("there must be one port, or one for each host") }
    // A password with a character that separates parts of an address ends up in one of these.
    guard !names.contains(where: { $0.contains("@") }), settings["dbname"]?.contains("@") != true else {
      throw invalid(
        "a host or the name of the database has an '@'. In an address the characters @ / : ? # of a password are written as %40 and so on"
      )
    }
    guard ports.allSatisfy({ $0.isEmpty || UInt16($0).map { $0 > 0 } == true }) else {
      throw invalid(
        "a port is not a number from 1 to 65535. In an address the characters @ / : ? # of a password are written as %40 and so on"
      )
    }
    return (0..<count).map { index in
      let port = ports.count == 1 ? ports[0] : ports.isEmpty ? "" : ports[index]
      let address = addresses.isEmpty ? "" : addresses[index]
      return Host(
        name: names.isEmpty ? "" : names[index], address: address.isEmpty ? nil : address, port: port.isEmpty ? nil : port)
    }
  }

  private static func invalid(_ reason: String) -> PostgreSQLFailure {
    .refused(SQLError(state: "08001", message: "the address of the database is not valid: \(reason)"))
  }

  /// The text without its quoted part, which may be a part of a password.
  static func withoutQuotes(_ text: String) -> String {
    guard let first = text.firstIndex(of: "\""), let last = text.lastIndex(of: "\"") else {
      return String(text.prefix { $0 != "\n" })
    }
    return String((text[..<first] + "…" + text[text.index(after: last)...]).prefix { $0 != "\n" })
  }
}

extension PostgreSQLAddress: CustomStringConvertible, CustomReflectable {
  /// The servers and the database, without names of users and passwords.
  public var description: String {
    let places = hosts.map(\.description).joined(separator: "; ")
    return settings["dbname"].map { "database '\($0)' at \(places)" } ?? places
  }
  public var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}
