internal import Channels
internal import Glibc
public import NIOCore
internal import NIOSSL
internal import NIOTLS

/// TLS with relays and web servers: of version 1.2 or newer, with certificates of authorities that this machine trusts, and for the
/// requested host. This is the one place where that is decided, for connections, NIP-11 documents, tests, uploads and names at domains.
public struct WebTLS: Sendable {
  private let context: NIOSSLContext

  /// - Parameter trustRoots: a PEM file with certificate authorities to trust, or `nil` for the system's.
  /// - Throws: an error if the context cannot be created, for example because `trustRoots` is unreadable.
  public init(trustRoots: String?) throws {
    var configuration = TLSConfiguration.makeClientConfiguration()
    // Older versions are broken (RFC 8996), but the library accepts them by default.
    configuration.minimumTLSVersion = .tlsv12
    if let trustRoots { configuration.trustRoots = .file(trustRoots) }
    configuration.applicationProtocols = ["http/1.1"]
    context = try NIOSSLContext(configuration: configuration)
  }

  /// Puts TLS under a connection, before any other handler. Written data waits until the certificate was checked. A failure is a
  /// `PeerFailure` with its reason. It must be called on the channel's event loop.
  /// - Parameters:
  ///   - host: a name, or an address without brackets.
  ///   - plain: the scheme of addresses without TLS, for people.
  public func secure(_ channel: any Channel, for host: String, plain: String) throws {
    // An address cannot be a server name.
    let isAddress = (IPAddress.version4(host) ?? IPAddress.version6(host)) != nil
    let handler = try NIOSSLClientHandler._makeSSLClientHandler(
      context: context, serverHostname: isAddress ? nil : host
    ) { certificate, channel in
      let names = CertificateNames(certificate)
      if names.include(host) { return channel.eventLoop.makeSucceededVoidFuture() }
      return channel.eventLoop.makeFailedFuture(PeerFailure(.wrongName(names, host)))
    }
    try channel.pipeline.syncOperations.addHandlers([handler, TLSInterpreter(handler: handler, host: host, plain: plain)])
  }
}

/// Describes a TLS failure in a sentence, with a cause that shows what to do. The library's own words are names of its errors with lines of
/// its source code.
private final class TLSInterpreter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  private let handler: NIOSSLClientHandler
  private let host: String
  private let plain: String
  private var isComplete = false

  init(handler: NIOSSLClientHandler, host: String, plain: String) {
    self.handler = handler
    self.host = host
    self.plain = plain
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted = event { isComplete = true }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case NIOSSLError.handshakeFailed(let reason):
      context.fireErrorCaught(PeerFailure(trouble(reason)))
    case is NIOSSLExtraError:
      let names = handler.peerCertificate.map(CertificateNames.init) ?? CertificateNames()
      context.fireErrorCaught(PeerFailure(.wrongName(names, host)))
    case NIOSSLError.uncleanShutdown:
      // Many servers close without a TLS close alert. The closed connection is reported next.
      break
    case is NIOSSLError: context.fireErrorCaught(PeerFailure(.unreachable, "TLS failed"))
    case let error as BoringSSLError:
      context.fireErrorCaught(PeerFailure(.unreachable, "TLS failed: \(Self.words(error))"))
    default: context.fireErrorCaught(error)
    }
  }

  /// Returns the reason why the handshake failed.
  private func trouble(_ reason: BoringSSLError) -> Trouble {
    if reason == .sslError([.eofDuringHandshake]) {
      return Trouble(.unreachable, "the server closed the connection during the TLS handshake")
    }
    let words = Self.words(reason)
    switch words {
    case "certificate verify failed": return verdict(handler.peerCertificate, at: time(nil))
    case "unsupported protocol", "tlsv1 alert protocol version":
      return Trouble(.incompatibleVersion, "the server does not speak TLS 1.2 or newer")
    case "wrong version number": return Trouble(.protocol, "the server does not speak TLS. Is its address \(plain)://?")
    default: return Trouble(.unreachable, "the TLS handshake failed: \(words)")
    }
  }

  /// Returns the flaw of a certificate that the library refused. The flaws of the certificates above it are unknown.
  private func verdict(_ certificate: NIOSSLCertificate?, at now: time_t) -> Trouble {
    if let end = certificate?.notValidAfter, end < now {
      return Trouble(.expired, "the certificate of \(host) expired on \(Self.day(end))")
    }
    if let start = certificate?.notValidBefore, start > now {
      return Trouble(.expired, "the certificate of \(host) is not valid before \(Self.day(start))")
    }
    return Trouble(
      .untrusted,
      "no authority that this machine trusts stands behind the certificate of \(host), or one of them is out of its time")
  }

  /// The library's word for an error: `certificate verify failed`, of
  /// `Error: 268435581 error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at /build/…/handshake.cc:320`.
  private static func words(_ error: BoringSSLError) -> String {
    let stack: NIOBoringSSLErrorStack
    switch error {
    case .sslError(let errors), .unknownError(let errors), .invalidSNIName(let errors), .failedToSetALPN(let errors):
      stack = errors
    case .noError, .zeroReturn, .wantRead, .wantWrite, .wantConnect, .wantAccept, .wantX509Lookup, .wantCertificateVerify,
      .syscallError:
      stack = []
    }
    guard let text = stack.last?.description else { return "the connection broke" }
    let end = text.firstRange(of: " at ")?.lowerBound ?? text.endIndex
    return (text[..<end].split(separator: ":").last ?? "").lowercased().replacing("_", with: " ")
  }

  private static func day(_ seconds: time_t) -> String {
    var (seconds, parts) = (seconds, tm())
    gmtime_r(&seconds, &parts)
    func padded(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
  }
}

extension Trouble {
  fileprivate static func wrongName(_ names: CertificateNames, _ host: String) -> Trouble {
    Trouble(.wrongName, "the certificate is not for \(host) but for \(names.words)")
  }
}
