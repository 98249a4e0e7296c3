public import Channels
public import RelayNetwork

// Other people's channels. A reader of a channel is a member of it.
extension SimpleXNetwork {
  public func channel(fromLink text: String) throws(NetworkFailure) -> ChannelReference? {
    guard NetworkKind.lookingLike(text) == .simplex else { return nil }
    do throws(InvalidAddress) {
      let link = try CoreChannelLink(HumanText.link(text))
      return ChannelReference(kind: .channel, networkID: "", trustAnchor: link.text, relays: [])
    } catch {
      throw NetworkFailure(error.reason)
    }
  }

  public func join(
    _ channel: ChannelReference, as identity: IdentityID
  ) async throws(NetworkFailure) -> FoundChannel {
    let link: CoreChannelLink
    do throws(InvalidAddress) { link = try CoreChannelLink(channel.trustAnchor ?? "") } catch {
      throw NetworkFailure(error.reason)
    }
    guard let joined = try await done(.join(link)) else { throw NetworkFailure("the chat core did not join it") }
    let profile = joined.group.profile
    let about = profile.summary.isEmpty ? profile.text : profile.summary
    let content = ChannelContent(
      identity: identity, networkID: joined.group.name, trustAnchor: link.text,
      document: ChannelDocument(Profile(displayName: profile.name), preparedAt: now().milliseconds).text)
    return FoundChannel(content: content, name: profile.name, about: about, isOwn: joined.isOwn)
  }

  public func leave(_ content: ChannelContent) async throws(NetworkFailure) {
    guard let group = content.group else { return }
    _ = try await done(.leave(CoreWorker.Place(name: content.networkID, group: group)))
  }

  private func done(_ task: CoreErrand.Task) async throws(NetworkFailure) -> CoreErrand.Joined? {
    let errand = CoreErrand(task)
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        errand.wait(waiting)
        put(errand)
      }
    } onCancel: {
      errand.cancel()
    }
    return try outcome.get()
  }
}
