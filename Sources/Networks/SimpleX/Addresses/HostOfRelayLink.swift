internal import RelayNetwork

/// The host by which people recognise the relay behind `text`: the first one in the link.
///
/// It accepts any link of the network, and the address of a server too. Any other text is returned without a password that
/// may be in it, and cut to 500 characters.
public func hostOfRelayLink(_ text: String) -> String {
  if let link = try? SimpleXLink(text) { return link.displayHost }
  if let server = try? SimpleXServerAddress.parse(text) { return server.displayHost }
  return AddressEcho.echo(text)
}
