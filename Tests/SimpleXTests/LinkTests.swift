import RelayNetwork
import SimpleX
import Testing

/// Links, as docs/design/simplex.md#addresses-and-links describes them.
struct LinkTests {
  @Test("The examples of links are their own normal form")
  func linkExamples() throws {
    let examples: [(String, SimpleXLink.Kind)] =
      (AddressSamples.presetRelays + [AddressSamples.documentedRelay]).map { ($0, .relay) } + [
        ("https://smp.simplex.im/a#\(AddressSamples.key)", .contact),
        (
          "https://localhost/a#4AkRDmhf64tdRlN406g8lJRg5OCmhD6ynIhi6glOcCM?p=7001&c=LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI",
          .contact
        ),
        ("https://smp.simplex.im/g#\(AddressSamples.key)?h=\(AddressSamples.onion)&p=5223&c=1234-w", .group),
        ("https://smp8.simplex.im/c#\(AddressSamples.key)", .channel),
        ("simplex:/c#\(AddressSamples.key)?h=\(AddressSamples.onion)%2Csmp.example.com&c=1234-w", .channel),
        ("https://[2001:db8::1]/r#\(AddressSamples.key)?h=%5B%3A%3A1%5D&c=1234-w", .relay),
        ("https://smp.example.com/i#MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3/\(AddressSamples.key)?c=1234-w", .invitation),
        (AddressSamples.fullLink, .contact),
      ]
    for (text, kind) in examples {
      let link = try SimpleXLink(text)
      #expect(link.text == text)
      #expect(link.kind == kind)
      #expect(try SimpleXLink(link.text) == link)
    }
  }

  @Test("A link after simplex: becomes a web link with the same parts")
  func simplexScheme() throws {
    let link = try SimpleXLink("simplex:/A/#\(AddressSamples.key)?h=smp.simplex.im%2C\(AddressSamples.onion)&p=5223&c=1234-w")
    #expect(link.text == "https://smp.simplex.im/a#\(AddressSamples.key)?h=\(AddressSamples.onion)&p=5223&c=1234-w")
    #expect(link.hosts.map(\.name) == ["smp.simplex.im", AddressSamples.onion])
    #expect(link.port == 5223)
    #expect(link.serverFingerprint == "1234-w")
    #expect(link.key == AddressSamples.key)
    #expect(link.displayHost == "smp.simplex.im")
  }

  @Test("All spellings of a link have one comparison key, other links another")
  func comparison() throws {
    let spellings = [
      "https://smp4.simplex.im/r#", "https://SMP4.simplex.im/R#", "https://smp4.simplex.im/r/#", "HTTPS://smp4.simplex.im/R/#",
    ]
    var keys = try spellings.map { try SimpleXLink($0 + AddressSamples.key).comparisonKey }
    keys.append(try SimpleXLink("simplex:/r#\(AddressSamples.key)?h=smp4.simplex.im").comparisonKey)
    keys.append(
      try SimpleXLink("simplex:/R/#\(AddressSamples.key)?c=1234-w&h=smp4.simplex.im,\(AddressSamples.onion)").comparisonKey)
    #expect(Set(keys) == ["r smp4.simplex.im \(AddressSamples.key)"])
    let others = [
      "https://smp5.simplex.im/r#\(AddressSamples.key)", "https://smp4.simplex.im/c#\(AddressSamples.key)",
      AddressSamples.presetRelays[2],
      "https://smp4.simplex.im/i#MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3/\(AddressSamples.key)", AddressSamples.fullLink,
    ]
    #expect(Set(try others.map { try SimpleXLink($0).comparisonKey }).union(keys).count == 6)
  }

  @Test("A fingerprint may be padded, as the core writes it; the normal form is without", arguments: ["=", "%3D"])
  func paddedFingerprint(padding: String) throws {
    let bare = "https://relay.example.com/r#\(AddressSamples.key)?c=\(AddressSamples.fingerprint)"
    for text in [bare + padding, bare + padding + "&p=5223"] {
      let link = try SimpleXLink(text)
      #expect(link.serverFingerprint == AddressSamples.fingerprint && !link.text.contains("\(AddressSamples.fingerprint)="))
      let (again, plain) = (try SimpleXLink(link.text), try SimpleXLink(bare))
      #expect(again == link && link.comparisonKey == plain.comparisonKey)
    }
    let relay = try SimpleXAddressing().parse(address: bare + padding)
    let plain = try SimpleXAddressing().parse(address: bare)
    #expect(relay.text == bare && relay == plain)
  }

  @Test("A full contact link names version, server and data")
  func fullContact() throws {
    let short = AddressSamples.fullLink.replacing("https://simplex.chat/", with: "simplex:/").replacing(
      "%3A7001", with: ":7001")
    guard case .full(let link) = try SimpleXLink(short) else {
      Issue.record("this is a full link")
      return
    }
    #expect(link.version == "2-7")
    #expect(link.server.text == "smp://\(AddressSamples.fingerprint)=@smp.example.com,\(AddressSamples.onion):7001")
    #expect(link.queues == "/q#/?v=1-4&dh=abc")
    #expect(link.data == #"{"groupLinkId":"x"}"#)
    #expect(link.text == AddressSamples.fullLink)
    #expect(try SimpleXLink(short).displayHost == "smp.example.com")
  }

  @Test(
    "What is no link is refused with reason and place",
    arguments: [
      ("", "it is empty", nil),
      ("http://a.example/r#\(AddressSamples.key)", "it must start with https:// or simplex:/", 0),
      ("smp://\(AddressSamples.fingerprint)@a.example", "this is the address of a message server, not a link", 0),
      ("xftp://\(AddressSamples.fingerprint)@a.example", "this is the address of a file server, not a link", 0),
      ("https://a.example", "a '/' and the letter of the link must follow the host", 17),
      ("https://a.example#r", "a '/' and the letter of the link must follow the host", 17),
      ("https:///r#\(AddressSamples.key)", "the host is missing", 8),
      (
        "https://a.example:5223/r#\(AddressSamples.key)",
        "the port does not stand after the host: add p=PORT to the parameters", 17
      ),
      ("https://a,b/r#\(AddressSamples.key)", "further hosts do not stand here: add h=HOST,HOST to the parameters", 9),
      ("https://me@a/r#\(AddressSamples.key)", "the link may not hold a user name or password", 10),
      (
        "https://a/x#\(AddressSamples.key)",
        "the letter of the link must be a (contact), c (channel), g (group), i (invitation) or r (relay)",
        10
      ),
      ("https://a/r", "a '#' and the key must follow the letter of the link", 11),
      ("https://a/r//#\(AddressSamples.key)", "a '#' and the key must follow the letter of the link", 12),
      ("https://a/r#", "the key is missing", 12),
      ("https://a/r#abc", "the key has 3 characters, it must have 43", 12),
      ("https://a/r#\(AddressSamples.key)=", "the key may only hold letters, digits, '-' and '_'", 55),
      ("https://a/r#\(AddressSamples.key.dropLast())Z", "the last character of the key cannot end it", 54),
      ("https://a/r#\(AddressSamples.key)?", "the link may only have the parameters h, p, c", 56),
      ("https://a/r#\(AddressSamples.key)?c=1&x=2", "the link may only have the parameters h, p, c", 60),
      ("https://a/r#\(AddressSamples.key)?c=1&c=2", "the parameter c is there twice", 60),
      ("https://a/r#\(AddressSamples.key)?c=", "the parameter c is empty", 56),
      ("https://a/r#\(AddressSamples.key)?c", "the parameter c is empty", 56),
      (
        "https://a/r#\(AddressSamples.key)?c=ab%3D%3D",
        "the fingerprint may only hold letters, digits, '-' and '_', and one '=' at its end", 60
      ),
      (
        "https://a/r#\(AddressSamples.key)?c==",
        "the fingerprint may only hold letters, digits, '-' and '_', and one '=' at its end", 58
      ),
      ("https://a/r#\(AddressSamples.key)?p=x", "the port must be a number from 1 to 65535", 58),
      ("https://a/r#\(AddressSamples.key)?h=b%2Cc%2", "two hexadecimal digits must follow the '%'", 63),
      ("https://a/r#\(AddressSamples.key)?h=b%2C%2Cc", "the host is missing", 62),
      (
        "https://a/r#\(AddressSamples.key)?h=b%3A1", "the port does not stand among the hosts: add p=PORT to the parameters", 59
      ),
      ("simplex:r#\(AddressSamples.key)", "a '/' and the letter of the link must follow simplex:", 8),
      ("simplex:/r#\(AddressSamples.key)", "the server is missing: a link that starts with simplex: needs ?h=HOST", 54),
      ("simplex:/r#\(AddressSamples.key)?p=1", "the server is missing: a link that starts with simplex: needs ?h=HOST", 58),
      ("https://a/i#\(AddressSamples.key)", "the key is missing: an invitation reads /i#ID/KEY", 55),
      ("https://a/i#abc/\(AddressSamples.key)", "the invitation's id has 3 characters, it must have 32", 12),
      ("https://simplex.chat/invitation#/?v=2", "this is a full one-time invitation, which is good for one use only", 21),
      ("simplex:/contact", "#/? and the parameters must follow the word contact", 16),
      ("simplex:/contact#/?v=2", "the parameter smp is missing", 22),
      ("simplex:/contact#/?v=2-&smp=x", "the version must be a number or two with a '-'", 21),
      ("simplex:/contact#/?v=2&smp=xftp%3A", "a queue must start with smp://", 27),
      ("simplex:/contact#/?v=2&smp=smp://a%40b", "the queue's id is missing", 38),
      ("simplex:/contact#/?v=2&smp=smp://a%40b/q", "the fingerprint has 1 characters, it must have 43", 33),
      (
        "simplex:/contact#/?v=2&smp=smp://\(AddressSamples.fingerprint):x%40b/q",
        "a queue may not hold the password of its server", 33
      ),
      ("simplex:/contact#/?v=2&smp=smp://\(AddressSamples.fingerprint)@b/%FF", "the parameter is not UTF-8 text", 78),
    ] as [(String, String, Int?)])
  func badLink(text: String, reason: String, position: Int?) throws {
    let fault = try #require(AddressSamples.fault { try SimpleXLink(text) })
    #expect(fault.reason == reason)
    #expect(fault.position == position)
  }
}
