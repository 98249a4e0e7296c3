import Testing

@testable import ConsoleProgram

/// Codes are exchanged once, and sessions end.
struct SessionsTests {
  private func at(_ seconds: Double) -> Sessions.Moment { Sessions.Moment(seconds: seconds, wall: Int64(seconds * 1000)) }

  private func session(_ sessions: inout Sessions, at seconds: Double = 0, role: Sessions.Role = .view) throws -> String {
    let code = try sessions.mint(user: "ann", role: role, now: at(seconds))
    return try sessions.exchange(code: code, browser: "b", now: at(seconds))
  }

  @Test func aCodeIsExchangedOnce() throws {
    var sessions = Sessions()
    let code = try sessions.mint(user: "ann", role: .change, now: at(0))
    #expect(sessions.knows(code: code, now: at(1)) && sessions.knows(code: code, now: at(1)), "to look is no exchange")
    let token = try sessions.exchange(code: code, browser: "b", now: at(2))
    let foundFound = sessions.session(token: token, isUse: true, now: at(3))
    let found = try #require(foundFound)
    #expect(found.user == "ann" && found.role == .change)
    #expect(!sessions.knows(code: code, now: at(3)))
    #expect(throws: Sessions.Refusal.unknownCode) { try sessions.exchange(code: code, browser: "b", now: at(3)) }
    #expect(code.utf8.count == 32 && token.utf8.count == 64 && code != token)
    #expect(found.id != token && !token.contains(found.id), "what is listed says nothing of the token")
  }

  @Test func aCodeExpires() throws {
    var sessions = Sessions()
    let code = try sessions.mint(user: "ann", role: .view, now: at(0))
    #expect(!sessions.knows(code: code, now: at(Sessions.codeLifetime)))
    #expect(throws: Sessions.Refusal.unknownCode) {
      try sessions.exchange(code: code, browser: "b", now: at(Sessions.codeLifetime))
    }
    let other = try sessions.mint(user: "ann", role: .view, now: at(200))
    #expect(throws: Never.self) { try sessions.exchange(code: other, browser: "b", now: at(199 + Sessions.codeLifetime)) }
  }

  @Test(arguments: ["", "0", "ffffffffffffffffffffffffffffffff"]) func guessesAreRefused(_ code: String) throws {
    var sessions = Sessions()
    _ = try sessions.mint(user: "ann", role: .view, now: at(0))
    #expect(throws: Sessions.Refusal.unknownCode) { try sessions.exchange(code: code, browser: "b", now: at(0)) }
    #expect(sessions.session(token: code, isUse: true, now: at(0)) == nil)
  }

  @Test func codesComeSlowly() throws {
    var sessions = Sessions()
    for second in 0..<Sessions.codesPerMinute { _ = try sessions.mint(user: "a", role: .view, now: at(Double(second))) }
    #expect(throws: Sessions.Refusal.tooManyCodes(retryAfter: 40)) { try sessions.mint(user: "a", role: .view, now: at(20)) }
    #expect(throws: Never.self, "others do not wait for them") { try sessions.mint(user: "b", role: .view, now: at(20)) }
    #expect(throws: Never.self) { try sessions.mint(user: "a", role: .view, now: at(60)) }
  }

  @Test func aSessionEndsUnlessItIsUsed() throws {
    var sessions = Sessions()
    let token = try session(&sessions)
    #expect(sessions.session(token: token, isUse: true, now: at(Sessions.idleMax - 1)) != nil)
    // Pages that refresh themselves are no use.
    #expect(sessions.session(token: token, isUse: false, now: at(2 * Sessions.idleMax - 2)) != nil)
    #expect(sessions.session(token: token, isUse: true, now: at(2 * Sessions.idleMax - 1)) == nil)
    #expect(sessions.session(token: token, isUse: true, now: at(0)) == nil, "it does not come back")
  }

  @Test func aSessionEndsHoweverOftenItIsUsed() throws {
    var sessions = Sessions()
    let token = try session(&sessions)
    var time = 0.0
    while time < Sessions.lifetime - 600 {
      time += 600
      _ = sessions.session(token: token, isUse: true, now: at(time))
    }
    let lastFound = sessions.session(token: token, isUse: true, now: at(Sessions.lifetime - 1))
    let last = try #require(lastFound)
    #expect(Sessions.remaining(last, now: at(Sessions.lifetime - 1)) == 1)
    #expect(sessions.session(token: token, isUse: true, now: at(Sessions.lifetime)) == nil)
  }

  @Test func sessionsAreEndedByOthers() throws {
    var sessions = Sessions()
    let tokens = try (0..<3).map { try session(&sessions, at: Double($0)) }
    let listed = sessions.all(now: at(3))
    #expect(listed.map(\.began.seconds) == [2, 1, 0])
    #expect(sessions.end(id: listed[1].id) && !sessions.end(id: listed[1].id))
    #expect(sessions.session(token: tokens[1], isUse: true, now: at(3)) == nil)
    let code = try sessions.mint(user: "ann", role: .view, now: at(3))
    sessions.endAll(except: listed[0].id)
    #expect(sessions.all(now: at(3)).map(\.id) == [listed[0].id])
    #expect(sessions.session(token: tokens[2], isUse: true, now: at(3)) != nil)
    #expect(!sessions.knows(code: code, now: at(3)), "no one comes in with what was printed before")
  }

  @Test func thereIsAMostOfSessions() throws {
    var sessions = Sessions()
    func signIn(_ user: String, at seconds: Double) throws -> String {
      let code = try sessions.mint(user: user, role: .view, now: at(seconds))
      return try sessions.exchange(code: code, browser: "b", now: at(seconds))
    }
    // One user loses the oldest of their own, and no one else's.
    let other = try signIn("other", at: 0)
    var own: [String] = []
    for number in 0...Sessions.sessionsPerUserMax { own.append(try signIn("ann", at: Double(number) * 10)) }
    #expect(sessions.all(now: at(200)).count == Sessions.sessionsPerUserMax + 1)
    let (lost, kept) = (
      sessions.session(token: own[0], isUse: false, now: at(200)), sessions.session(token: own[1], isUse: false, now: at(200))
    )
    #expect(lost == nil && kept != nil)
    #expect(sessions.session(token: other, isUse: false, now: at(200)) != nil)
    for number in 0..<(Sessions.sessionsMax - Sessions.sessionsPerUserMax - 1) { _ = try signIn("user \(number)", at: 300) }
    let code = try sessions.mint(user: "late", role: .view, now: at(300))
    #expect(throws: Sessions.Refusal.tooManySessions) { try sessions.exchange(code: code, browser: "b", now: at(300)) }
    sessions.endAll(except: nil)
    let again = try sessions.mint(user: "late", role: .view, now: at(301))
    #expect(throws: Never.self) { try sessions.exchange(code: again, browser: "b", now: at(301)) }
  }
}
