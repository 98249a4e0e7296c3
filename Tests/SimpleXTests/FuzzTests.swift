import Channels
import RelayNetwork
import SimpleX
import Testing

/// Texts that no one would write on purpose. The same seed gives the same texts.
struct FuzzTests {
  private static let password = "Pw-7hQ"
  private static let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"
  private static let fingerprint = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI"
  private static let protected = [
    "smp://\(fingerprint)=:\(password)@smp8.simplex.im,beccx4yf.onion:7001", "xftp://\(fingerprint):\(password)@[2001:db8::1]",
    "ntf://\(fingerprint)=:\(password)@10.0.0.1",
  ]
  private static let open = [
    "smp://\(fingerprint)=@localhost", "https://smp4.simplex.im/r#\(key)",
    "https://localhost/a/#\(key)?p=7001&c=\(fingerprint)&h=[::1],a.onion",
    "simplex:/g#\(key)?h=smp.simplex.im%2Cabc.onion&p=5223&c=1234-w", "https://a/i#MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3/\(key)",
    "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2F\(fingerprint)%3D%40a.example%2Fq%23%2F&data=%7B%22a%22%3A1%7D",
    "::ffff:1.2.3.4", "2001:db8::1", "10.1.2.3", "smp.example.com",
  ]
  private static let characters = (0x20...0x7E).map { Character(Unicode.Scalar($0)) }
  /// The characters that mean something in an address come more often.
  private static let signs = Array("://@,=?#&%[].-_srcagi0129")

  private enum Edits { case any, butAt }

  private static func character(_ edits: Edits, _ generator: inout SplitMix64) -> Character {
    while true {
      let set = Bool.random(using: &generator) ? signs : characters
      let character = set[Int.random(in: 0..<set.count, using: &generator)]
      if edits == .any || character != "@" { return character }
    }
  }

  private static func mutated(_ text: String, edits: Edits, upTo count: Int, _ generator: inout SplitMix64) -> String {
    var text = Array(text)
    for _ in 0..<Int.random(in: 1...count, using: &generator) where !text.isEmpty {
      let index = Int.random(in: 0..<text.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: text[index] = character(edits, &generator)
      case 1: text.insert(character(edits, &generator), at: index)
      case 2: text.remove(at: index)
      default: text.swapAt(index, Int.random(in: 0..<text.count, using: &generator))
      }
    }
    return String(text)
  }

  private static func pick(_ texts: [String], _ generator: inout SplitMix64) -> String {
    texts[Int.random(in: 0..<texts.count, using: &generator)]
  }

  /// Gives `text` to every parser. What one accepts must stay what it is when written and read again.
  /// - Returns: how many accepted it, and the faults of the others.
  private static func read(_ text: String) throws -> (accepted: Int, faults: [InvalidAddress]) {
    var faults: [InvalidAddress] = []
    var accepted = 0
    func attempt(_ body: () throws -> Bool) throws {
      do {
        let isStable = try body()
        accepted += 1
        if !isStable { Issue.record("not the same when read again: \(text)") }
      } catch let fault as InvalidAddress {
        faults.append(fault)
      }
    }
    try attempt {
      let address = try SimpleXServerAddress.parse(text)
      let full = SimpleXServerAddress.text(of: address, includingPassword: true)
      let again = try #require(try? SimpleXServerAddress.parse(full))
      let shown = try #require(try? SimpleXServerAddress.parse(address.text))
      return again == address && shown.text == address.text && "\(address)" == address.text && shown.password == nil
        && !address.hosts.isEmpty
    }
    var isLink = false
    try attempt {
      let link = try SimpleXLink(text)
      isLink = true
      let again = try #require(try? SimpleXLink(link.text))
      return again == link && again.text == link.text && again.comparisonKey == link.comparisonKey && !link.hosts.isEmpty
    }
    // What is no link is no relay's address for the same reason, and a host has no scheme: trying would only take time.
    if isLink {
      try attempt {
        let address = try SimpleXAddressing().parse(address: text)
        return try #require(try? SimpleXAddressing().parse(address: address.text)) == address
      }
    }
    if !text.contains("//") {
      try attempt {
        let host = try SimpleXHost(text)
        return try #require(try? SimpleXHost(host.bracketed)) == host && host.name == host.name.lowercased()
      }
    }
    for fault in faults {
      let isBounded =
        fault.address.count <= 500 && !fault.reason.isEmpty && (fault.position ?? 0) >= 0 && (fault.position ?? 0) <= text.count
      if !isBounded { Issue.record("a fault out of bounds: \(fault)") }
    }
    return (accepted, faults)
  }

  @Test("Damaged addresses and links are refused, or read the same twice", arguments: 1...4)
  func damaged(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    var accepted = 0
    for number in 0..<3_000 {
      if number % 32 == 0 { await Task.yield() }
      let text = Self.mutated(Self.pick(Self.protected + Self.open, &generator), edits: .any, upTo: 6, &generator)
      accepted += try Self.read(text).accepted
    }
    // Otherwise the half of the rule that speaks of accepted texts would not have been tried.
    #expect(accepted > 250)
  }

  @Test("A damaged address shows no password", arguments: 5...8)
  func hiddenPassword(seed: UInt64) async throws {
    // No edit adds an `@` and none moves characters about: where the password stands would then be a matter of opinion.
    var generator = SplitMix64(seed: seed)
    for number in 0..<2_500 {
      if number % 32 == 0 { await Task.yield() }
      var text = Array(Self.pick(Self.protected, &generator))
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        let index = Int.random(in: 0..<text.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: text[index] = Self.character(.butAt, &generator)
        case 1: text.insert(Self.character(.butAt, &generator), at: index)
        default: text.remove(at: index)
        }
      }
      try Self.expectHidden(String(text))
    }
  }

  @Test("A cut address shows no password")
  func truncated() throws {
    for text in Self.protected + Self.open {
      for count in 0...text.count {
        try Self.expectHidden(String(text.prefix(count)))
        // From the back, down to the `@`: what is left has nothing that tells a password.
        let rest = String(text.suffix(count))
        if rest.contains("@") { try Self.expectHidden(rest) } else { _ = try Self.read(rest) }
      }
    }
  }

  private static func expectHidden(_ text: String) throws {
    for fault in try read(text).faults where fault.address.contains(password) || fault.reason.contains(password) {
      Issue.record("the password shows: \(fault)")
    }
    if hostOfRelayLink(text).contains(password) { Issue.record("the password shows as the host of \(text)") }
  }

  @Test("Random ASCII is refused or read the same twice", arguments: 9...10)
  func randomASCII(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let starts = ["", "smp://", "https://", "simplex:/", "https://a/r#\(Self.key)?", "smp://\(Self.fingerprint)@"]
    for number in 0..<3_000 {
      if number % 32 == 0 { await Task.yield() }
      let count = Int.random(in: 0...40, using: &generator)
      let text = Self.pick(starts, &generator) + String((0..<count).map { _ in Self.character(.any, &generator) })
      _ = try Self.read(text)
    }
  }

  @Test("Random Unicode is refused without a crash")
  func randomUnicode() async throws {
    var generator = SplitMix64(seed: 11)
    let special: [Unicode.Scalar] = [
      "\u{0}", "\r", "\n", "\u{200D}", "\u{301}", "\u{FE0F}", "\u{202E}", "\u{FF20}", "\u{1F1E6}", "%",
    ]
    for number in 0..<3_000 {
      if number % 32 == 0 { await Task.yield() }
      var scalars = String.UnicodeScalarView()
      if Bool.random(using: &generator) {
        scalars.append(contentsOf: Self.pick(Self.protected + Self.open, &generator).unicodeScalars.prefix(70))
      }
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        let isSpecial = Bool.random(using: &generator)
        let scalar =
          isSpecial
          ? special[Int.random(in: 0..<special.count, using: &generator)]
          : Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator))
        if let scalar { scalars.append(scalar) }
      }
      _ = try Self.read(String(scalars))
      _ = hostOfRelayLink(String(scalars))
    }
  }
}
