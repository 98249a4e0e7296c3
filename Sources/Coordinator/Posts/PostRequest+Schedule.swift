internal import Channels
internal import RelayNetwork
internal import Storage
internal import StrictJSON

// Requests to publish a post later.
extension PostRequest {
  static let toleranceDefault = 3_600
  /// The bounds of the tolerance, in seconds. A shorter one could pass while a machine sleeps or is busy.
  static let toleranceBounds = 60...31_622_400
  /// How far ahead a post can be scheduled.
  static let aheadMax = Duration.seconds(366 * 86_400)

  /// - Parameter now: the time of day.
  /// - Throws: `invalidPost` if the post cannot be published at its time.
  func checkSchedule(at now: Timestamp) throws(BatonError) {
    guard !isDraft || at == nil && tolerance == nil else {
      throw .post(
        .invalidPost(
          field: "at",
          reason: "a draft has no time. Leave out 'at' and 'tolerance', and give them when it is to be published"))
    }
    try Self.check(at, tolerance: tolerance, now: now)
  }

  /// Checks the time of publication of a post.
  /// - Parameters:
  ///   - at: the time of day. `nil` means immediately.
  ///   - tolerance: how late it may still be published, in seconds. `nil` if not given.
  ///   - now: the time of day.
  /// - Throws: `invalidPost`.
  static func check(_ at: Timestamp?, tolerance: Int?, now: Timestamp) throws(BatonError) {
    func refusal(_ field: String, _ reason: String) -> BatonError { .post(.invalidPost(field: field, reason: reason)) }
    if let tolerance {
      guard at != nil else {
        throw refusal("tolerance", "it sets how long after 'at' a post is still published. Give 'at' too")
      }
      guard Self.toleranceBounds.contains(tolerance) else {
        let bounds = Self.toleranceBounds
        throw refusal("tolerance", "it must be \(bounds.lowerBound) to \(bounds.upperBound) seconds. Change it")
      }
    }
    guard let at else { return }
    guard at + .seconds(tolerance ?? Self.toleranceDefault) >= now else {
      throw refusal(
        "at", "\(RFC3339.text(milliseconds: at.milliseconds)) is over, by more than the tolerance. Choose a time in the future")
    }
    guard at <= now + Self.aheadMax else { throw refusal("at", "it is more than 366 days ahead. Choose an earlier time") }
  }

  /// The schedule of the post. `nil` if it is published immediately.
  /// - Parameter now: the time of day.
  func schedule(at now: Timestamp) -> PostSchedule? {
    if isDraft { return PostSchedule(draftOf: json.text, at: now, tolerance: Self.toleranceDefault) }
    guard let at, at > now else { return nil }
    return PostSchedule(publishAt: at, tolerance: tolerance ?? Self.toleranceDefault, request: json.text)
  }

  // MARK: - From storage

  /// Reads the output of `json`.
  /// - Returns: `nil` if the text is not a stored request.
  init?(stored text: String) {
    guard let json = try? JSONParser.parse(text), let channel = json["channel"]?.integer, let text = json["text"]?.string,
      let quotes = json["quotes"]?.integers, let mentions = json["mentions"]?.strings, let hashtags = json["hashtags"]?.strings,
      let emoji = json["emoji"]?.object, let attachments = json["attachments"]?.array
    else { return nil }
    let files = attachments.compactMap(PostDraft.Attachment.init(stored:))
    let pictures = emoji.compactMapValues(\.string)
    let about = json["about"].flatMap(AboutMessage.init(stored:))
    guard (json["about"] == nil) == (about == nil) else { return nil }
    guard files.count == attachments.count, pictures.count == emoji.count else { return nil }
    self.init(
      channel: ChannelID(rawValue: channel), text: text, replyTo: json["replyTo"]?.integer.map(PostID.init(rawValue:)),
      quotes: quotes.map(PostID.init(rawValue:)), mentions: mentions, contentWarning: json["contentWarning"]?.string,
      hashtags: hashtags, emoji: pictures, attachments: files,
      at: json["at"]?.integer.map(Timestamp.init(milliseconds:)), tolerance: json["tolerance"]?.integer.map { Int($0) },
      reactionTo: json["reactionTo"]?.integer.map(PostID.init(rawValue:)), about: about,
      aboutPlace: json["aboutPlace"].flatMap(MessagePlace.init(stored:)))
  }
}

extension PostDraft.Attachment {
  fileprivate init?(stored json: JSONValue) {
    guard let url = json["url"]?.string, let fallbacks = json["fallbacks"]?.strings else { return nil }
    let sides = json["dimensions"]?.integers
    self.init(
      url: url, sha256: json["sha256"]?.string, mimeType: json["mimeType"]?.string, sizeBytes: json["sizeBytes"]?.integer,
      dimensions: sides.flatMap { $0.count == 2 ? Dimensions(width: Int($0[0]), height: Int($0[1])) : nil },
      altText: json["altText"]?.string, blurhash: json["blurhash"]?.string, fallbacks: fallbacks)
  }
}

extension JSONValue {
  /// The elements of an array of strings. `nil` for anything else.
  fileprivate var strings: [String]? { all(\.string) }
  /// The elements of an array of integers. `nil` for anything else.
  fileprivate var integers: [Int64]? { all(\.integer) }

  private func all<Value>(_ element: (JSONValue) -> Value?) -> [Value]? {
    guard let array else { return nil }
    let values = array.compactMap(element)
    return values.count == array.count ? values : nil
  }
}
