import Channels
import RelayNetwork
import ScriptedCore
import Testing

@testable import SimpleX

/// Which names and profiles the core takes.
struct ChannelNameTests {
  @Test(arguments: [
    "News", "m2", "Ω", "新聞", "Ведомости №5", "Café", "Cafe\u{301}", "★ News", "C++", "News - DE", "Q&A", "News!", "5 €", "A=B",
    "What?",
    "a! b", "☀\u{FE0F} Weather", "Prices in $",
  ])
  func nameIsTaken(name: String) {
    #expect(CoreName.fault(in: name) == nil)
  }

  @Test(arguments: [
    ("News (DE)", "but not ( (U+0028)"), ("News!!", "between two punctuation marks"),
    ("News - -", "between two punctuation marks"),
    ("m²", "but not ² (U+00B2)"), ("$AVE", "starts with a letter, a digit or a symbol such as ★, not with $"),
    ("+1", "not with +"), ("Ⅷ", "(U+2167)"), ("Hello 👋🏽", "skin tone"), ("👩\u{200D}🚀", "joined"), ("Editor’s", "(U+2019)"),
    ("A ^ B", "but not ^"), ("a-\u{301}", "the mark U+0301 must follow"), ("a\u{200C}b", "but not U+200C"),
    ("a.b", "but not ."),
  ])
  func nameIsRefusedWithAReason(name: String, words: String) {
    let fault = CoreName.fault(in: name)
    #expect(fault?.contains(words) == true, "\(fault ?? "taken")")
  }

  /// Written twice, in two ways: what the core would change is what Baton refuses.
  @Test func ruleIsThatOfTheScriptedCore() {
    let alphabet = Array("aÉß5٣²Ⅷ新★☀€$+=<^¨!?&:-–_%*()[]’«. \u{301}\u{FE0F}\u{200D}👋🏽".unicodeScalars)
    var random = SplitMix64(seed: 7)
    var taken = 0
    for _ in 0..<50_000 {
      let count = Int.random(in: 1...6, using: &random)
      var scalars = String.UnicodeScalarView()
      for _ in 0..<count { scalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)]) }
      guard let name = try? DisplayName.validated(String(scalars)) else { continue }
      let isSame = CoreModel.validName(name).unicodeScalars.elementsEqual(name.unicodeScalars)
      #expect((CoreName.fault(in: name) == nil) == isSame, "\(name.debugDescription)")
      taken += isSame ? 1 : 0
    }
    #expect(taken > 1_000)
  }

  private static func picture(_ bytes: Int) -> String {
    "data:image/jpg;base64," + String(repeating: "A", count: bytes - 22)
  }

  @Test func largestOrdinaryProfileIsTaken() {
    let profile = Profile(
      displayName: String(repeating: "n", count: 50), fullName: String(repeating: "f", count: 50),
      description: String(repeating: "d", count: Profile.descriptionBytesMax), image: Self.picture(Profile.imageBytesMax))
    #expect(ChannelDocument(profile, preparedAt: 0).refusal == nil)
  }

  /// Each part is within its bounds, but together, as JSON, they fit neither a message nor a link.
  @Test func profileThatFitsNoMessageIsRefused() {
    let quotes = String(repeating: "\"", count: Profile.descriptionBytesMax)
    let image = Self.picture(Profile.imageBytesMax)
    func field(_ profile: Profile) -> ProfileRefusal.Field? { ChannelDocument(profile, preparedAt: 0).refusal?.field }
    #expect(field(Profile(displayName: "News", description: quotes, image: image)) == .image)
    let families = String(repeating: "👨‍👩‍👧‍👦", count: Profile.fullNameCharactersMax)
    #expect(field(Profile(displayName: "News", fullName: families, image: image)) == .image)
    #expect(field(Profile(displayName: "News", fullName: families, description: quotes)) == nil)
  }
}
