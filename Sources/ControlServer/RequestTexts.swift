internal import Channels
internal import ControlAPI

/// A request with texts that people wrote. They are put into one form before anything compares, measures or signs them, so that a client
/// on a system with other line ends makes the same post or channel.
protocol RequestWithTexts {
  /// Changes each of the texts.
  mutating func changeTexts(_ change: (String) -> String)
}

extension RequestWithTexts {
  /// The request without byte order marks, and with line feeds alone at the ends of lines.
  var withPlainTexts: Self {
    var request = self
    request.changeTexts(HumanText.text)
    return request
  }
}

extension PostsPublishRequest: RequestWithTexts {
  mutating func changeTexts(_ change: (String) -> String) {
    text = change(text)
    contentWarning = contentWarning.map(change)
    attachments = attachments.map { $0.map { $0.withTexts(change) } }
  }
}

extension PostsEditRequest: RequestWithTexts {
  mutating func changeTexts(_ change: (String) -> String) {
    text = change(text)
    contentWarning = contentWarning.map(change)
    attachments = attachments.map { $0.map { $0.withTexts(change) } }
  }
}

extension ControlAPI.Attachment {
  fileprivate func withTexts(_ change: (String) -> String) -> Self {
    var attachment = self
    attachment.altText = altText.map(change)
    return attachment
  }
}

extension PostsDeleteRequest: RequestWithTexts {
  mutating func changeTexts(_ change: (String) -> String) { reason = reason.map(change) }
}

extension PostsRemoveRequest: RequestWithTexts {
  mutating func changeTexts(_ change: (String) -> String) { reason = reason.map(change) }
}

extension PostsReportRequest: RequestWithTexts {
  mutating func changeTexts(_ change: (String) -> String) { text = text.map(change) }
}

extension MembersRemoveRequest: RequestWithTexts {
  mutating func changeTexts(_ change: (String) -> String) { reason = reason.map(change) }
}

// Names of channels have their own form, which the coordinator gives them.

extension CreateChannel: RequestWithTexts {
  mutating func changeTexts(_ change: (String) -> String) {
    profile.fullName = profile.fullName.map(change)
    profile.description = profile.description.map(change)
  }
}

extension UpdateChannel: RequestWithTexts {
  mutating func changeTexts(_ change: (String) -> String) {
    fullName = fullName.map(change)
    description = description.map(change)
  }
}
