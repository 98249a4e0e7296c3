import Channels
import RelayNetwork
import SimpleX
import Testing

/// Addresses of servers and relays, as docs/design/simplex.md#addresses-and-links describes them.
struct AddressTests {
  // MARK: Servers

  @Test(
    "A server address is written in one way",
    arguments: [
      // As the network's own documents and tests write them.
      ("smp://\(AddressSamples.fingerprint)=@localhost:7001", "smp://\(AddressSamples.fingerprint)=@localhost:7001"),
      (
        "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@smp8.simplex.im,beccx4yf.onion",
        "smp://0YuTwO05YJWS8rkjn9eLJDjQhFKvIYd8d4xG8X1blIU=@smp8.simplex.im,beccx4yf.onion"
      ),
      ("SMP://\(AddressSamples.fingerprint)@Example.COM:5223", "smp://\(AddressSamples.fingerprint)=@example.com"),
      (
        "xftp://\(AddressSamples.fingerprint)=@b.example,a.example:443",
        "xftp://\(AddressSamples.fingerprint)=@b.example,a.example"
      ),
      ("xftp://\(AddressSamples.fingerprint)=@a.example:5223", "xftp://\(AddressSamples.fingerprint)=@a.example:5223"),
      ("smp://\(AddressSamples.fingerprint)=@a.example:443", "smp://\(AddressSamples.fingerprint)=@a.example:443"),
      ("smp://\(AddressSamples.fingerprint)@2001:DB8:0::1", "smp://\(AddressSamples.fingerprint)=@[2001:db8::1]"),
      ("smp://\(AddressSamples.fingerprint)@[::1]:7001", "smp://\(AddressSamples.fingerprint)=@[::1]:7001"),
      (
        "smp://\(AddressSamples.fingerprint)@10.0.0.1,[::1],\(AddressSamples.onion):7001",
        "smp://\(AddressSamples.fingerprint)=@10.0.0.1,[::1],\(AddressSamples.onion):7001"
      ),
      ("smp://\(AddressSamples.fingerprint):s3cret?#%!@a.example", "smp://\(AddressSamples.fingerprint)=@a.example"),
    ])
  func serverNormalForm(given: String, text: String) throws {
    let address = try SimpleXServerAddress.parse(given)
    #expect(address.text == text)
    let full = SimpleXServerAddress.text(of: address, includingPassword: true)
    #expect(try SimpleXServerAddress.parse(full) == address)
    #expect(try SimpleXServerAddress.parse(text).text == text)
    #expect(SimpleXServerAddress.text(of: address, includingPassword: false) == text)
  }

  @Test("A server address comes apart into its parts")
  func serverParts() throws {
    let address = try SimpleXServerAddress.parse("smp://\(AddressSamples.fingerprint)=:pa=ss@[::1],A.example:7001")
    #expect(address.transport == .smp)
    #expect(address.fingerprint == AddressSamples.fingerprint)
    #expect(address.hosts == ["::1", "a.example"])
    #expect(address.port == 7001)
    #expect(address.password == "pa=ss")
    #expect(address.displayHost == "::1")
    #expect(
      SimpleXServerAddress.text(of: address, includingPassword: true)
        == "smp://\(AddressSamples.fingerprint)=:pa=ss@[::1],a.example:7001"
    )
    #expect(try SimpleXServerAddress.parse("xftp://\(AddressSamples.fingerprint)@a.example:443").port == nil)
  }

  @Test("No description of a server address shows the password")
  func serverDescription() throws {
    let address = try SimpleXServerAddress.parse("smp://\(AddressSamples.fingerprint):s3cret@a.example")
    var dumped = ""
    dump([address], to: &dumped)
    for text in [
      "\(address)", "\(Optional(address) as Any)", String(reflecting: address), String(describing: [address]), dumped,
    ] {
      #expect(text.contains("a.example"))
      #expect(!text.contains("s3cret"))
    }
  }

  @Test(
    "What is not a server address is refused with reason and place",
    arguments: [
      ("", "it is empty", nil),
      ("smp.example.com", "it must start with smp:// or xftp://", 0),
      (
        "ntf://\(AddressSamples.fingerprint)@a.example",
        "this is a notification server's address, and only message servers (smp://) and file servers (xftp://) are managed", 0
      ),
      ("https://a.example", "this is a link, not the address of a server", 0),
      ("simplex:/r#\(AddressSamples.key)?h=a.example", "this is a link, not the address of a server", 0),
      ("smp://a.example", "the server's fingerprint is missing: an address reads smp://FINGERPRINT@HOST", 6),
      ("xftp://a.example:443", "the server's fingerprint is missing: an address reads xftp://FINGERPRINT@HOST", 7),
      ("smp://@a.example", "the server's fingerprint is missing", 6),
      ("smp://1234-w@a.example", "the fingerprint has 6 characters, it must have 43", 6),
      ("smp://\(AddressSamples.fingerprint)==@a.example", "the fingerprint may only hold letters, digits, '-' and '_'", 49),
      ("smp://a+b@a.example", "the fingerprint may only hold letters, digits, '-' and '_'", 7),
      ("smp://\(AddressSamples.fingerprint.dropLast())J@a.example", "the last character of the fingerprint cannot end it", 48),
      ("smp://\(AddressSamples.fingerprint)=:@a.example", "the password is empty: leave out the ':' too", 51),
      ("smp://\(AddressSamples.fingerprint):a:b@a.example", "the password may not hold '@', ':' or '/'", 51),
      ("smp://\(AddressSamples.fingerprint):a/b@a.example", "the password may not hold '@', ':' or '/'", 51),
      ("smp://\(AddressSamples.fingerprint):a@b@a.example", "the password may not hold '@', ':' or '/'", 51),
      ("smp://\(AddressSamples.fingerprint)@", "the host is missing", 50),
      ("smp://\(AddressSamples.fingerprint)@,a.example", "the host is missing", 50),
      ("smp://\(AddressSamples.fingerprint)@a.example,", "the host is missing", 60),
      ("smp://\(AddressSamples.fingerprint)@:7001", "the host is missing", 50),
      ("smp://\(AddressSamples.fingerprint)@a.example:", "the port must be a number from 1 to 65535", 60),
      ("smp://\(AddressSamples.fingerprint)@a.example:0", "the port must be a number from 1 to 65535", 60),
      ("smp://\(AddressSamples.fingerprint)@a.example:65536", "the port must be a number from 1 to 65535", 60),
      ("smp://\(AddressSamples.fingerprint)@a.example:+1", "the port must be a number from 1 to 65535", 60),
      ("smp://\(AddressSamples.fingerprint)@a.example:1,b.example", "the port must stand after the last host", 59),
      ("smp://\(AddressSamples.fingerprint)@a.example/", "nothing may follow the hosts and the port", 59),
      ("smp://\(AddressSamples.fingerprint)@a.example?x", "nothing may follow the hosts and the port", 59),
      ("smp://\(AddressSamples.fingerprint)@[::1]7001", "the bracket around the IPv6 address is not closed", 50),
      (
        "smp://\(AddressSamples.fingerprint)@a.example ", "it holds a space, a control character or a character outside ASCII",
        59
      ),
      (
        "smp://\(AddressSamples.fingerprint)@ä.example", "it holds a space, a control character or a character outside ASCII",
        50
      ),
    ] as [(String, String, Int?)])
  func badServer(text: String, reason: String, position: Int?) throws {
    let fault = try #require(AddressSamples.fault { try SimpleXServerAddress.parse(text) })
    #expect(fault.reason == reason)
    #expect(fault.position == position)
    #expect(fault.address.count == text.count)
  }

  @Test(
    "A fault shows stars in place of what may be a password",
    arguments: [
      ("smp://\(AddressSamples.fingerprint)=:s3cret@", "smp://\(AddressSamples.fingerprint)=:******@"),
      ("smp://\(AddressSamples.fingerprint)=:s3@cret@", "smp://\(AddressSamples.fingerprint)=:*******@"),
      ("smp://abc:s3cret@a.example", "smp://abc:******@a.example"),
      ("smp://\(AddressSamples.fingerprint)=:s3cret", "smp://\(AddressSamples.fingerprint)=:******"),
      ("smp://\(AddressSamples.fingerprint)=;s3cret@a.example", "smp://\(AddressSamples.fingerprint)=*******@a.example"),
      (
        "smp://\(AddressSamples.fingerprint)=xs3creta.example",
        "smp://\(AddressSamples.fingerprint)=" + String(repeating: "*", count: 16)
      ),
      (
        "smp://\(AddressSamples.fingerprint)=s3cret,a.example:7001",
        "smp://\(AddressSamples.fingerprint)=" + String(repeating: "*", count: 21)
      ),
      ("smp:/\(AddressSamples.fingerprint):s3cret@a", String(repeating: "*", count: 55) + "@a"),
      ("://\(AddressSamples.fingerprint):s3cret@a", String(repeating: "*", count: 53) + "@a"),
      ("ntf://\(AddressSamples.fingerprint):s3cret@a.example", "ntf://\(AddressSamples.fingerprint):******@a.example"),
      ("smp://\(AddressSamples.fingerprint):s3crét@a.example", "smp://\(AddressSamples.fingerprint):******@a.example"),
      ("https://me:s3cret@a.example/r#\(AddressSamples.key)", "https://me:******@a.example/r#\(AddressSamples.key)"),
      (
        "simplex:/contact#/?v=2&smp=smp%3A%2F%2F\(AddressSamples.fingerprint)%3As3cret%40a%2Fq",
        "simplex:/contact#/?v=2&smp=smp%3A%2F%2F\(AddressSamples.fingerprint)%3A******%40a%2Fq"
      ),
      ("smp://a.example", "smp://a.example"),
    ])
  func hiddenPassword(text: String, shown: String) throws {
    #expect(AddressSamples.fault { try SimpleXServerAddress.parse(text) }?.address == shown)
    #expect(AddressSamples.fault { try SimpleXLink(text) }?.address == shown)
    #expect(AddressSamples.fault { try SimpleXAddressing().parse(address: text) }?.address == shown)
    #expect(hostOfRelayLink(text) == shown || (try? SimpleXServerAddress.parse(text)) != nil)
  }

  @Test("A fault shows at most 500 characters, and nothing longer than 2,000 bytes is read")
  func bounds() throws {
    let text = "smp://\(AddressSamples.fingerprint):" + String(repeating: "s3cret", count: 100_000) + "@a.example"
    let fault = try #require(AddressSamples.fault { try SimpleXServerAddress.parse(text) })
    #expect(fault.reason == "it is longer than 2000 bytes")
    #expect(fault.position == nil)
    #expect(fault.address == "smp://\(AddressSamples.fingerprint):" + String(repeating: "*", count: 450))
    let relay = AddressSamples.presetRelays[0] + "?h=" + String(repeating: "a", count: 2_000)
    #expect(AddressSamples.fault { try SimpleXAddressing().parse(address: relay) }?.reason == "it is longer than 2000 bytes")
    // What fits only until it is written in full could not be read again.
    let hosts = Array(repeating: "a", count: 800).joined(separator: ",")
    #expect(
      AddressSamples.fault { try SimpleXLink("https://a/a#\(AddressSamples.key)?h=\(hosts)") }?.reason
        == "it is longer than 2000 bytes when written in full")
  }

  // MARK: Relays

  @Test(
    "The relays that clients know by heart are accepted without fingerprint",
    arguments: AddressSamples.presetRelays + [AddressSamples.documentedRelay]
  )
  func presets(text: String) throws {
    let addressing: any RelayAddressing = SimpleXAddressing()
    #expect(addressing.kind == .simplex)
    let address = try addressing.parse(address: text)
    #expect(address.text == text)
    #expect(address.displayHost.hasSuffix(".simplex.im"))
    #expect(hostOfRelayLink(text) == address.displayHost)
  }

  @Test("Another relay is accepted with its fingerprint")
  func ownRelay() throws {
    let text = "https://smp.example.com/r#\(AddressSamples.key)?c=\(AddressSamples.fingerprint)"
    let address = try SimpleXAddressing().parse(
      address: "simplex:/R#\(AddressSamples.key)?c=\(AddressSamples.fingerprint)&h=SMP.example.com")
    #expect(
      address
        == RelayAddress(text: text, displayHost: "smp.example.com", comparisonKey: "r smp.example.com \(AddressSamples.key)"))
  }

  @Test(
    "What is not a relay address is refused with the name of what it is",
    arguments: [
      ("https://smp8.simplex.im/c#\(AddressSamples.key)", "this is the link of a channel, not the address of a relay", nil),
      ("https://smp8.simplex.im/g#\(AddressSamples.key)", "this is the link of a group, not the address of a relay", nil),
      ("https://smp8.simplex.im/a#\(AddressSamples.key)", "this is the link of a contact, not the address of a relay", nil),
      (
        "https://a/i#MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3/\(AddressSamples.key)",
        "this is the link of an invitation, not the address of a relay",
        nil
      ),
      (AddressSamples.fullLink, "this is the full link of a contact, not the address of a relay", nil),
      ("smp://\(AddressSamples.fingerprint)@a.example", "this is the address of a message server, not a link", 0),
      ("https://smp.example.com/r#\(AddressSamples.key)", "the server's fingerprint is missing: add ?c=FINGERPRINT", 69),
      ("https://notsimplex.im/r#\(AddressSamples.key)", "the server's fingerprint is missing: add ?c=FINGERPRINT", 67),
      ("https://simplex.im/r#\(AddressSamples.key)", "the server's fingerprint is missing: add ?c=FINGERPRINT", 64),
      (
        "https://a/r#\(AddressSamples.key)?p=1&c=1234-w",
        "the server's fingerprint has 6 characters or is damaged: it must be 43 of base64url", 62
      ),
    ] as [(String, String, Int?)])
  func badRelay(text: String, reason: String, position: Int?) throws {
    let fault = try #require(AddressSamples.fault { try SimpleXAddressing().parse(address: text) })
    #expect(fault.reason == reason)
    #expect(fault.position == position)
  }

  @Test("The host of a relay link is the first one that it names")
  func hostOfLinks() {
    #expect(hostOfRelayLink("simplex:/g#\(AddressSamples.key)?h=A.example%2Cb.example") == "a.example")
    #expect(hostOfRelayLink(AddressSamples.fullLink) == "smp.example.com")
    #expect(hostOfRelayLink("smp://\(AddressSamples.fingerprint):s3cret@a.example") == "a.example")
    #expect(hostOfRelayLink("a relay in words") == "a relay in words")
    #expect(hostOfRelayLink("") == "")
  }
}
