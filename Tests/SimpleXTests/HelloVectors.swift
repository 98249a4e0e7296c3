import Foundation
import Testing

@testable import SimpleX

/// What a server with one kind of key shows: leaf and authority, valid from 2020-01-01 to 2020-04-10, and an X25519 key that
/// the leaf signed, without the SEQUENCE that real servers put around it (`SeenHello`).
/// Made by `Tests/EndToEnd/python/server_peer.py --fault bare-key`.
struct HelloVector: CustomTestStringConvertible {
  let testDescription: String
  let fingerprint: String
  let chain: [[UInt8]]
  let signedKey: [UInt8]

  static let validSeconds: Int64 = 1_580_000_000
  static let all = [ed25519, ed448]

  private init(_ name: String, fingerprint: String, leaf: String, authority: String, signedKey: String) {
    testDescription = name
    self.fingerprint = fingerprint
    chain = [Self.bytes(leaf), Self.bytes(authority)]
    self.signedKey = Self.bytes(signedKey)
  }

  private static func bytes(_ base64: String) -> [UInt8] { Data(base64Encoded: base64).map { [UInt8]($0) } ?? [] }

  /// A block as servers send it.
  func block(
    low: UInt16 = 6, high: UInt16 = 18, session: [UInt8] = [UInt8](repeating: 7, count: 32), chain: [[UInt8]]? = nil,
    signedKey: [UInt8]? = nil, extra: [UInt8] = []
  ) -> [UInt8] {
    var content = Self.number(low) + Self.number(high) + [UInt8(session.count)] + session
    let certificates = chain ?? self.chain
    content.append(UInt8(certificates.count))
    for part in certificates + [signedKey ?? self.signedKey] { content += Self.number(UInt16(part.count)) + part }
    return Self.padded(content + extra)
  }

  /// A block with any content.
  static func padded(_ content: [UInt8]) -> [UInt8] {
    let block = number(UInt16(content.count)) + content
    return block + [UInt8](repeating: UInt8(ascii: "#"), count: BlockReader.blockBytes - block.count)
  }

  static func number(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

  static let ed25519 = HelloVector(
    "ed25519", fingerprint: "H_t1UpyUrLyhU4mNFF57MLK45l__lQAknTlvFC5wkJs",
    leaf: """
      MIH7MIGuoAMCAQICFBbg7KIaBFeCIrFDUnc1yz75vsy1MAUGAytlcDAWMRQwEgYDVQQDDAthdXRob3JpdHkgMTAeFw0yMDAxMDEwMDAwMDBaFw0yMDA0MT\
      AwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDAqMAUGAytlcAMhAHxnmXcbIWguYjpafhI4tF/N21KDiah8+CdBrX9GTfd8oxAwDjAMBgNVHRMBAf8E\
      AjAAMAUGAytlcANBAMZaCo/wwOYxfffeMWbCcjs0mwBY1kkPdiQpbrYjthaR0T+IGiqu/Jn/H/Q4UUwdu7XSTwRYXDllERLIACncOws=
      """,
    authority: """
      MIIBADCBs6ADAgECAhQUYzvL1zFS8xUstxksJAkcaLPbfDAFBgMrZXAwFjEUMBIGA1UEAwwLYXV0aG9yaXR5IDEwHhcNMjAwMTAxMDAwMDAwWhcNMjAwND\
      EwMDAwMDAwWjAWMRQwEgYDVQQDDAthdXRob3JpdHkgMTAqMAUGAytlcAMhAPQV+dRZwwHhppacGqJ4/bBTr5s+EQFtUnvbryqB/zFGoxMwETAPBgNVHRMB\
      Af8EBTADAQH/MAUGAytlcANBAGGnpMrsV2LrCjhqPU5dXqCT1zPb1W9H4hvo+eEZ7tPqqnftToRKy4Wh9+IT3YztPuGZd7CuV+QPz/cgJ2O3qg0=
      """,
    signedKey: """
      MHYwKjAFBgMrZW4DIQBUlpJEqbjuXAxHsgNoviObV0aLWTprabz3lVCbPQrSeTAFBgMrZXADQQAjrXDoFQp87xw6LmY0fMXCHi9p+y73GBNhS3HH8sl3tU\
      7VSSya6WSyp6sAovw8symvy8oPdlD9ijvFDZCmVgEI
      """)

  static let ed448 = HelloVector(
    "ed448", fingerprint: "5aT0ua_DokQpsnXiN_P6HNNrZdGFUO-NBmcQpoPJFwo",
    leaf: """
      MIIBRjCBx6ADAgECAhQBhsmpoje4+Omk+Ult4XbqafuvLDAFBgMrZXEwFjEUMBIGA1UEAwwLYXV0aG9yaXR5IDEwHhcNMjAwMTAxMDAwMDAwWhcNMjAwND\
      EwMDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwQzAFBgMrZXEDOgBYFazYX7lzyaD63wziDZFehDOczbqKFVADRxjTlaiKfh4hRl6OKn4g4uJbzLI6\
      4C/63MMGOQyd3QCjEDAOMAwGA1UdEwEB/wQCMAAwBQYDK2VxA3MAOS8z63QUGLW3A70ezvscw5J9p5HE7W7EBq7i15VtmEbsKHpaMS7kqV7TpXgz8YyHHn\
      5UYnpLN7QAeUtevPp+duczIWb+6KJ8myQAmQ38z8/K/m4Bd42o8HjXZMl0aQysEqmsyzDyzo1BE6ovlkN11yUA
      """,
    authority: """
      MIIBSzCBzKADAgECAhQ/zjdsqrbNcla+79X8OIrLwKjfCjAFBgMrZXEwFjEUMBIGA1UEAwwLYXV0aG9yaXR5IDEwHhcNMjAwMTAxMDAwMDAwWhcNMjAwND\
      EwMDAwMDAwWjAWMRQwEgYDVQQDDAthdXRob3JpdHkgMTBDMAUGAytlcQM6ADLE7eWLOiKAxuEZTHmsFcFgB8Ez6YiXyCrz1TdAeRIneFkztVK/LNhTkp99\
      kz3HtWh9urFuKf2KAKMTMBEwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXEDcwCmur1Kv+J4N/1JfsxTEk11qUuVpcsVBWnX463I3sX9VOdIwmk0osaOAmsrBg\
      o4qrA6oCsoHweKm4DQ9wQ3eczOI/Ajuwu6Mx8U5retzYVxDQLq3DnGQAFeAoUoQULT3ppcuBnq8lQdAlGcYmHZONWxBAA=
      """,
    signedKey: """
      MIGoMCowBQYDK2VuAyEADC9UBOn1r27yigQbaQEcV9MAyAy0YUrIzxw2Rs7AOBQwBQYDK2VxA3MA3HZ9fs8qWEaRElrdcn0l9k06HS0LmI3Q2AnnFUtNIh\
      JM+lWqU0p1/ZnJkXVCEDj6Lk4Lv0aBgzIANwiMJfzeikyfSk+7ozxy03+V0x8zGk9TcFc5m3a6O4fdsuzAeBDaWS7dDJ3VfKLWRpC3mMpz1xsA
      """)
}
