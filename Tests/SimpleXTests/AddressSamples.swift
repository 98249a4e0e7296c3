import RelayNetwork

/// Addresses and links, as the network's own programs and documents write them, that several suites read.
enum AddressSamples {
  static let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"
  static let fingerprint = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI"
  static let onion = "jjbyvoemxysm7qxap7m5d5m35jzv5qq6gnlv7s4rsn7tdwwmuqciwpid.onion"
  static let presetRelays = [
    "https://smp5.simplex.im/r#Fp5RWXkiRFg-hgcDwC2v-MWnPfvEf42RgCqREntW0mw",
    "https://smp6.simplex.im/r#_qlQfogHGDJ8MAF2wKmkglRBM-xHR142gDJstKiGRQQ",
    "https://smp4.simplex.im/r#yxNOMJcry5jMTRPEBVtGBATYaKeoRIsZRBPIDLx7x6M",
  ]
  /// Relays of a scripted core.
  static func relays(_ count: Int) -> [String] { (1...count).map { "https://smp\($0).simplex.im/r#\(key)" } }
  static let documentedRelay = "https://smp4.simplex.im/r#73iEnnvCqPTVGArCAWUcRaj5hxRb7TbPCSZ2JY2VjCQ"
  static let fullLink =
    "https://simplex.chat/contact#/?v=2-7&smp=smp%3A%2F%2F\(fingerprint)%3D%40smp.example.com%2C\(onion)%3A7001"
    + "%2Fq%23%2F%3Fv%3D1-4%26dh%3Dabc&data=%7B%22groupLinkId%22%3A%22x%22%7D"

  static func fault(of parse: () throws -> Any) -> InvalidAddress? {
    do {
      _ = try parse()
      return nil
    } catch { return error as? InvalidAddress }
  }
}
