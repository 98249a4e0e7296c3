import Foundation
import NIOCore
import StrictJSON
import Varlink

/// A rule that did not hold.
struct Broken: Error, CustomStringConvertible {
  let description: String
}

/// The parsers under test, and the rules that must hold.
struct Targets {
  private(set) var accepted = 0
  private var frames: FrameTarget
  private var count = 0

  init(seed: UInt64) { frames = FrameTarget(random: Random(seed: seed ^ 1)) }

  mutating func take(_ input: [UInt8]) throws {
    count += 1
    try frames.take(input)
    // Each way of reading a message begins with the parser; one of them per input keeps a million of them short.
    switch count % 3 {
    case 0: try json(input)
    case 1: try call(input)
    default: try reply(input)
    }
  }

  /// A value that the parser accepts means the same after it was written, and other parsers accept it too.
  private mutating func json(_ input: [UInt8]) throws {
    let stepped = try? JSONParser.parseSteppingOver(input)
    let mended = try? JSONParser.parseMending(input)
    let value: JSONValue
    do throws(JSONParseError) {
      value = try JSONParser.parse(input)
    } catch {
      guard (0...input.count).contains(error.offset) else { throw Broken(description: "an error beyond the input") }
      if let mended, !mended.isMended { throw Broken(description: "what is wrong was not mended") }
      guard let stepped else { return }
      // Only flaws that the strict reader refuses are stepped over.
      guard [.tooDeep, .equivalentKeys].contains(error.reason), !stepped.flaws.isEmpty else {
        throw Broken(description: "what is wrong was stepped over")
      }
      return
    }
    guard let stepped, stepped.value == value, stepped.flaws.isEmpty else {
      throw Broken(description: "what is right was stepped over")
    }
    guard let mended, mended.value == value, !mended.isMended else {
      throw Broken(description: "what is right was mended")
    }
    accepted += 1
    guard (try? JSONParser.parse(value.bytes)) == value else { throw Broken(description: "what was written reads differently") }
    if accepted % 8 == 0, (try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed)) == nil {
      throw Broken(description: "Foundation does not take it")
    }
  }

  private mutating func call(_ input: [UInt8]) throws {
    guard let call = try? VarlinkCall(message: input) else { return }
    accepted += 1
    let message = call.message
    guard message.last == 0, !message.dropLast().contains(0), (try? VarlinkCall(message: message.dropLast())) == call else {
      throw Broken(description: "the call that was written reads differently")
    }
  }

  private mutating func reply(_ input: [UInt8]) throws {
    guard let outcome = try Outcome(input) else { return }
    accepted += 1
    let message = outcome.message
    guard message.last == 0, !message.dropLast().contains(0), try Outcome(message.dropLast()) == outcome else {
      throw Broken(description: "the reply that was written reads differently")
    }
  }
}

/// The client's reading of a message; nil if the server broke the protocol.
private enum Outcome: Equatable {
  case reply(VarlinkReply)
  case error(VarlinkError)

  init?(_ message: some Sequence<UInt8>) throws {
    do {
      self = .reply(try VarlinkReply(message: message))
    } catch let error as VarlinkError {
      self = .error(error)
    } catch is VarlinkProtocolError {
      return nil
    }
  }

  var message: [UInt8] {
    switch self {
    case .reply(let reply): reply.message
    case .error(let error): error.message
    }
  }
}

/// The frame decoder beside a model of it, both fed in pieces of any size.
private struct FrameTarget {
  private static let messageBytesMax = 96
  var random: Random
  private var buffer = FrameBuffer(messageBytesMax: messageBytesMax)
  /// The model's part of the message under way.
  private var pending: [UInt8] = []

  init(random: Random) { self.random = random }

  mutating func take(_ input: [UInt8]) throws {
    // Whether the message ends here: most do.
    let bytes = random.below(8) > 0 ? input + [0] : input
    switch random.below(256) {
    case 0: for byte in bytes { try feed([byte]) }
    case 1..<128:
      let end = random.below(bytes.count + 1)
      try feed(Array(bytes[..<end]))
      try feed(Array(bytes[end...]))
    default: try feed(bytes)
    }
  }

  private mutating func feed(_ piece: [UInt8]) throws {
    var bytes = ByteBuffer(bytes: piece)
    buffer.append(&bytes)
    // The model: everything between two NULs is a message.
    for (index, part) in piece.split(separator: 0, omittingEmptySubsequences: false).enumerated() {
      if index > 0, try !next(isEnded: true) { return }
      pending += part
    }
    _ = try next(isEnded: false)
  }

  /// Asks for the next message, which must be what is pending.
  /// - Returns: whether the connection would go on.
  private mutating func next(isEnded: Bool) throws -> Bool {
    let isTooLong = pending.count > Self.messageBytesMax
    let message: ByteBuffer?
    do throws(VarlinkProtocolError) {
      message = try buffer.next()
    } catch {
      guard isTooLong else { throw Broken(description: "\(error) after \(pending.count) bytes") }
      buffer = FrameBuffer(messageBytesMax: Self.messageBytesMax)
      pending = []
      return false
    }
    guard !isTooLong else { throw Broken(description: "\(pending.count) bytes were taken") }
    guard isEnded else {
      guard message == nil else { throw Broken(description: "a message without an end") }
      guard buffer.count == pending.count else { throw Broken(description: "\(buffer.count) bytes wait, not \(pending.count)") }
      return true
    }
    guard message.map({ Array($0.readableBytesView) }) == pending else { throw Broken(description: "another message") }
    pending = []
    return true
  }
}
