public import Channels
public import RelayNetwork
internal import Storage

// Posts about other people's messages.
extension Coordinator {
  /// Lets a channel react to another person's message. The reaction is a separate post, which is delivered and deleted like others. Returns
  /// once it is durable.
  /// - Parameters:
  ///   - networkID: the message's id on its network. `author` is its author.
  ///   - place: other details of the message.
  ///   - reaction: the text, such as `+` or an emoji. While the channel has this reaction to the message, the same text is the same
  ///     reaction.
  ///   - emoji: the addresses of pictures for `:shortcode:`, by the shortcode.
  ///   - refusalIfNew: the refusal, unless an earlier request was the same.
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

  /// Reports another person's message to operators of relays. The report is a separate post. Returns once it is durable.
  /// - Throws: `notSupported` if the network has no reports, among others.
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

  /// Removes another person's message for all readers. The removal is a separate post, which is deleted from the beginning. Returns once it
  /// is durable.
  /// - Parameters:
  ///   - networkID: the message's id on its network. `author` is its author.
  ///   - createdAt: its date according to its author.
  ///   - reason: the reason for relays and readers. May be empty.
  /// - Throws: `notSupported` if no one can remove other people's messages there, among others.
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

  /// A reaction to another person's message, or its report, in its network's form.
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

  /// Another person's message as posts refer to it.
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
