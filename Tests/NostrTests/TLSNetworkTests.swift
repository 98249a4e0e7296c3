import Channels
import RelayNetwork
import Sandbox
import TestTools
import Testing

@testable import Nostr

/// Certificates and the versions of TLS, against relays of the sandbox.
struct TLSNetworkTests {
  @Test func tlsIsCheckedAgainstTheHost() async throws {
    let folder = try TemporaryFolder()
    let certificate = try folder.makeCertificate(name: "IP:127.0.0.1")
    let stranger = try folder.makeCertificate(name: "DNS:other.example")
    let cases: [(tls: (certificate: String, key: String), roots: String?, cause: Cause?)] = [
      (certificate, certificate.certificate, nil), (stranger, stranger.certificate, .wrongName),
      (certificate, nil, .untrusted),
    ]
    for (tls, roots, cause) in cases {
      let relay = try await SandboxRelay.start(
        tls: .init(certificateFile: tls.certificate, keyFile: tls.key))
      let bench = try NetworkBench(trustRoots: roots)
      let content = try await bench.content(relay.url)
      let outcome = await bench.perform(.invite, content, at: relay.url)
      if let cause {
        #expect(outcome?.cause == cause, "\(String(describing: outcome))")
      } else {
        #expect(outcome == .accepted(link: relay.url))
      }
      await bench.end()
      await relay.stop()
    }
  }

  @Test func failuresOfTLSHaveACauseAndASentence() async throws {
    let folder = try TemporaryFolder()
    let good = try folder.makeCertificate(name: "IP:127.0.0.1")
    let old = try folder.makeCertificate(name: "IP:127.0.0.1", isExpired: true)
    let other = try folder.makeCertificate(name: "DNS:other.example")
    func tls(_ files: (certificate: String, key: String), isOutdated: Bool = false) -> SandboxRelay.TLS {
      SandboxRelay.TLS(certificateFile: files.certificate, keyFile: files.key, isOutdated: isOutdated)
    }
    let cases: [(tls: SandboxRelay.TLS?, roots: String?, cause: Cause, words: String)] = [
      (tls(old), old.certificate, .expired, "the certificate of 127.0.0.1 expired on 20"),
      (tls(good), nil, .untrusted, "no authority that this machine trusts stands behind the certificate of 127.0.0.1"),
      (tls(other), other.certificate, .wrongName, "the certificate is not for 127.0.0.1 but for other.example"),
      (
        tls(good, isOutdated: true), good.certificate, .incompatibleVersion, "the server does not speak TLS 1.2 or newer"
      ),
      (nil, nil, .protocol, "the server does not speak TLS"),
    ]
    for (tls, roots, cause, words) in cases {
      let relay = try await SandboxRelay.start(tls: tls)
      let bench = try NetworkBench(trustRoots: roots)
      let address = "wss://127.0.0.1:\(relay.port)"
      let outcome = await bench.perform(.invite, try await bench.content(address), at: address)
      guard case .troubled(let trouble, _)? = outcome else { return #expect(Bool(false), "\(String(describing: outcome))") }
      var failure: Trouble?
      for await step in bench.network.test(
        address: try bench.network.parse(address: address), identity: IdentityID(rawValue: 1), depth: .light)
      {
        failure = step.failure
      }
      for trouble in [trouble, failure] {
        #expect(trouble?.cause == cause, "\(String(describing: trouble))")
        #expect(trouble?.detail.hasPrefix(words) == true, "\(String(describing: trouble))")
        #expect(trouble?.detail.contains("/") == (cause == .protocol), "no path of a build; ws:// in one")
      }
      await bench.end()
      await relay.stop()
    }
  }

  /// This holds wherever TLS is used: in sessions, for the NIP-11 document, in tests. A name is not the address that it resolves to.
  @Test func certificateIsForTheHostThatWasAskedFor() async throws {
    let folder = try TemporaryFolder()
    for (names, host, works) in [
      ("DNS:localhost", "localhost", true), ("DNS:other.example,DNS:LOCALHOST", "localhost", true),
      ("IP:127.0.0.1", "127.0.0.1", true), ("IP:127.0.0.1", "localhost", false), ("DNS:*ocalhost", "localhost", false),
      ("DNS:*", "localhost", false), ("DNS:127.0.0.1", "127.0.0.1", false), ("DNS:localhost", "127.0.0.1", false),
    ] {
      let tls = try folder.makeCertificate(name: names)
      let relay = try await SandboxRelay.start(tls: .init(certificateFile: tls.certificate, keyFile: tls.key))
      let bench = try NetworkBench(trustRoots: tls.certificate)
      let address = "wss://\(host):\(relay.port)"
      let outcome = await bench.perform(.invite, try await bench.content(address), at: address)
      let group = ChannelDraft(
        kind: .group, identity: IdentityID(rawValue: 1), profile: Profile(displayName: "News"), relays: [address])
      let isInformed = (try? await bench.network.prepare(group)) != nil
      var steps: [ProbeStep] = []
      for await step in bench.network.test(
        address: try bench.network.parse(address: address), identity: IdentityID(rawValue: 1), depth: .light)
      {
        steps.append(step)
      }
      #expect(isInformed == works, "\(names) for \(host)")
      if works {
        #expect(outcome == .accepted(link: address), "\(names) for \(host)")
        #expect(steps.last?.name == "readBack" && steps.last?.failure == nil, "\(names) for \(host)")
      } else {
        #expect(outcome?.cause == .wrongName, "\(names) for \(host): \(String(describing: outcome))")
        #expect(steps.last?.name == "tls" && steps.last?.failure?.cause == .wrongName, "\(names) for \(host)")
        #expect(relay.counts.connections == 0, "nothing is sent to someone else")
      }
      await bench.end()
      await relay.stop()
    }
  }
}
