public import Channels
public import RelayNetwork
internal import Storage

// Posts about messages of others.
extension Coordinator {
  /// Lets a channel react to a message of others. The reaction is a post of its own, which is delivered and deleted like others. Returns
  /// once it is durable.
  /// - Parameters:
  ///   - networkID: what the network calls the message, and `author` who wrote it.
  ///   - place: what else is known of it.
  ///   - reaction: what it says, such as `+` or an emoji. As long as the channel says this to the message, it is the same reaction.
  ///   - emoji: the address of the picture that `:shortcode:` stands for, by the shortcode.
  ///   - refusalIfNew: why it is refused unless the same was asked for before.
  /// - Returns: the reaction, and whether it is new.
  /// - Throws: `invalidPost` if the network has no such reaction, among others.
  public func reactToMessage(
    _ networkID: String, by author: String, at place: MessagePlace, in channel: ChannelID, with reaction: String,
    emoji: [String: String] = [:], idempotencyKey: String? = nil, refusalIfNew: BatonError? = nil
  ) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    var request = PostRequest(
      channel: channel, text: reaction, emoji: emoji, idempotencyKey: idempotencyKey,
      about: AboutMessage(act: .reaction, networkID: networkID, author: author), aboutPlace: place)
    request.refusalIfNew = refusalIfNew
    return try await publish(request)
  }

  /// Reports a message of others to those who run relays. The report is a post of its own. Returns once it is durable.
  /// - Throws: `notSupported` where messages are not reported, among others.
  public func reportMessage(
    _ networkID: String, by author: String, in channel: ChannelID, category: Report.Category, words: String,
    idempotencyKey: String? = nil, refusalIfNew: BatonError? = nil
  ) async throws(BatonError) -> (post: PostSnapshot, isNew: Bool) {
    var request = PostRequest(
      channel: channel, text: Report(category: category, words: words).text, idempotencyKey: idempotencyKey,
      about: AboutMessage(act: .report, networkID: networkID, author: author))
    request.refusalIfNew = refusalIfNew
    return try await publish(request)
  }

  /// Removes a message of others for all readers. The removal is a post of its own, which is deleted from the beginning. Returns once it is
  /// durable.
  /// - Parameters:
  ///   - networkID: what the network calls the message, and `author` who wrote it.
  ///   - createdAt: when it was written, by its author's account.
  ///   - reason: what relays and readers are told; may be empty.
  /// - Throws: `notSupported` where no one can remove what others wrote, among others.
  public func removeMessage(
    _ networkID: String, by author: String, createdAt: Timestamp, in id: ChannelID, reason: String
  ) async throws(BatonError) -> PostSnapshot {
    let channel = try await ownChannel(id)
    let network = try network(of: channel)
    let about = AboutMessage(act: .removal, networkID: networkID, author: author)
    let request = PostRequest(channel: id, text: "", about: about)
    let content = channel.row.content
    let message = try messageReference(about, of: request, in: content, on: network)
    let removal: (message: PostDocument, deletion: PostDocument)
    do throws(PostFailure) {
      removal = try network.composeRemoval(of: message, createdAt: createdAt, in: content, reason: reason)
    } catch {
      throw BatonError(error, on: network.kind)
    }
    tellOfPosts(of: id)
    let new = NewPost(
      request: request, document: removal.message, digest: request.digest, removal: removal.deletion)
    let published: PublishedPost = try await askPosts { .publish(new, $0) }
    return snapshot(published.post, channel.row)
  }

  /// A reaction to a message of others, or its report, in the form that its network gives it.
  func aside(
    _ request: PostRequest, to about: AboutMessage, in channel: StoredChannel, on network: any RelayNetwork
  ) throws(BatonError) -> PostDocument {
    let content = channel.row.content
    let target = try messageReference(about, of: request, in: content, on: network)
    let document: PostDocument
    do throws(PostFailure) {
      switch about.act {
      case .report:
        document = try network.composeReport(Report(text: request.text) ?? Report(category: .other), of: target, in: content)
      case .reaction, .answer, .removal, .membership:
        document = try network.composeReaction(
          ReactionDraft(target: target, text: request.text, emoji: request.emoji), in: content)
      }
    } catch {
      throw BatonError(error, on: network.kind)
    }
    tellOfPosts(of: request.channel)
    return document
  }

  /// A message of others as posts refer to it.
  func messageReference(
    _ about: AboutMessage, of request: PostRequest, in content: ChannelContent, on network: any RelayNetwork
  ) throws(BatonError) -> PostReference {
    let relays = directory.relays
    let addresses = (request.aboutPlace?.relays ?? []).compactMap { relays[$0]?.address }
    var reference = network.reference(
      toMessage: about.networkID, by: about.author, textBytes: request.aboutPlace?.textBytes ?? 0, in: content, at: addresses)
    reference?.writtenAt = request.aboutPlace?.createdAt
    reference?.participants = request.aboutPlace?.participants ?? []
    guard let reference else {
      throw .networkUnavailable(network.kind, reason: "the stored name of the message is not one of this network")
    }
    return reference
  }
}
