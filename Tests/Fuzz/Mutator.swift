/// SplitMix64: one seed, one sequence.
struct Random {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to `bound` - 1.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

/// Makes inputs that are almost right: a good message with a few changes.
struct Mutator {
  var random: Random

  private static let seeds: [[UInt8]] = [
    #"{"method":"a.b.C"}"#, #"{"method":"a.B","more":true}"#, #"{"method":"a.B","oneway":true,"x.y":[]}"#,
    #"{"method":"a.B","parameters":{"id":7,"s":"é\u00e9"}}"#, #"{"parameters":{"n":[1,{}]},"continues":true}"#,
    #"{"error":"a.E","parameters":{"f":-1.5e3}}"#, #"{"parameters":null}"#, #"[1,-2.5,"x",null,true]"#,
    #""\ud83d\ude00\n\/""#, #"{"a":{"b":{"c":[[]]}}}"#, " 12 ", "[[[[[[[[1]]]]]]]]",
  ].map { Array($0.utf8) }

  /// Pieces that parsers trip over.
  private static let pieces: [[UInt8]] =
    [
      ["{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "0", "-", ".", "e9", "E+999", "1e400"],
      [
        "99999999999999999999", "null", "true", "\"more\":true", "\"oneway\":true", ",\"method\":\"a.B\"", "\u{FEFF}", "\u{E9}",
      ],
      ["[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "{\"a\":{\"a\":", " ", "\n"],
    ].joined().map { Array($0.utf8) } + [[0], [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF0, 0x9F], [0x1F], [0x80]]

  /// The next input, some tens of bytes.
  mutating func input() -> [UInt8] {
    var bytes = Self.seeds[random.below(Self.seeds.count)]
    for _ in 0..<random.below(3) { mutate(&bytes) }
    return bytes
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    let at = random.below(bytes.count + 1)
    switch random.below(7) {
    case 0: if at < bytes.count { bytes[at] = UInt8(truncatingIfNeeded: random.next()) }
    case 1: if at < bytes.count { bytes[at] ^= 1 << UInt8(random.below(8)) }
    case 2: if at < bytes.count { bytes.remove(at: at) }
    case 3: bytes.insert(contentsOf: Self.pieces[random.below(Self.pieces.count)], at: at)
    case 4: bytes.removeSubrange(at...)
    case 5:
      // The same again: duplicate keys, deeper nests.
      let end = at + random.below(bytes.count - at + 1)
      bytes.insert(contentsOf: Array(bytes[at..<end]), at: random.below(bytes.count + 1))
    default: bytes.insert(contentsOf: Self.seeds[random.below(Self.seeds.count)], at: at)
    }
  }
}
