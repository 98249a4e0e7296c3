internal import StrictJSON

/// One parsed message of the core.
enum CoreFrame: Hashable, Sendable {
  /// An answer to the command with this number, as the core returned it.
  case reply(correlation: String, Result<CoreReply, CoreFailure>)
  case events([CoreEvent])
  /// A message that is not from a core.
  case rubbish(String)

  /// Reads a message. Private keys are removed before anything else sees it.
  init(_ bytes: some Sequence<UInt8>) {
    let value: JSONValue
    do throws(JSONParseError) {
      value = CoreSecrets.removed(from: try JSONParser.parse(bytes))
    } catch {
      self = .rubbish("\(error)")
      return
    }
    do throws(CoreShapeError) {
      let frame = try CoreReader(value)
      if let correlation = try frame.stringIfPresent("corrId") {
        self = .reply(correlation: correlation, Self.result(frame))
      } else {
        let answer = try frame.object("resp")
        self = .events(CoreEvent.events(tag: try answer.string("type"), answer))
      }
    } catch {
      self = .rubbish("\(error)")
    }
  }

  private static func result(_ frame: CoreReader) -> Result<CoreReply, CoreFailure> {
    var tag = ""
    do throws(CoreShapeError) {
      let answer = try frame.object("resp")
      tag = try answer.string("type")
      if tag == "chatCmdError" { return .failure(.refused(try answer.read("chatError"))) }
      return .success(try CoreReply(tag: tag, answer))
    } catch {
      return .failure(.unreadable(tag: CoreText.bounded(tag), error))
    }
  }
}
