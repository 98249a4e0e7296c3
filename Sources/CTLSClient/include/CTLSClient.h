// A TLS client over memory, for servers that are known by the fingerprint of their certificate authority, and the checks that
// such servers need. Nothing here opens sockets. Only one thread at a time may use a client.
#ifndef CTLS_CLIENT_H
#define CTLS_CLIENT_H

#include <stddef.h>
#include <stdint.h>

// Most certificates of a chain that are kept or judged.
#define CTLS_CERTIFICATES_MAX 8
// Longest certificate accepted, in bytes.
#define CTLS_CERTIFICATE_BYTES_MAX 16384
// Longest certificate list a peer may send, in bytes.
#define CTLS_CERTIFICATE_LIST_BYTES_MAX (CTLS_CERTIFICATES_MAX * CTLS_CERTIFICATE_BYTES_MAX)
// Longest signed key accepted, in bytes.
#define CTLS_SIGNED_KEY_BYTES_MAX 4096
// Length of an error text with its terminating zero, in bytes.
#define CTLS_TEXT_BYTES 256
#define CTLS_SHA256_BYTES 32

typedef struct ctls_client ctls_client;

typedef enum {
  // The step is complete.
  CTLS_DONE = 0,
  // More bytes of the peer are needed.
  CTLS_AGAIN = 1,
  // The peer ended the connection in order.
  CTLS_CLOSED = 2,
  // The connection is no longer usable. ctls_client_error has the reason.
  CTLS_FAILED = 3,
} ctls_result;

typedef enum {
  CTLS_CHAIN_VALID = 0,
  CTLS_CHAIN_EXPIRED = 1,
  CTLS_CHAIN_NOT_YET_VALID = 2,
  CTLS_CHAIN_INVALID = 3,
} ctls_chain_result;

typedef enum {
  CTLS_KEY_VALID = 0,
  // Not the shape of a signed X25519 key.
  CTLS_KEY_MALFORMED = 1,
  // The right shape, but not signed by this certificate.
  CTLS_KEY_FORGED = 2,
  // The check itself was not possible.
  CTLS_KEY_FAILED = 3,
} ctls_key_result;

// A client that offers TLS 1.3 and 1.2 with ChaCha20-Poly1305, Ed448 and Ed25519, X448 and X25519, and one application protocol.
// It sends no server name, resumes no sessions and accepts any certificate: judging the chain is the caller's part.
// `text` has room for CTLS_TEXT_BYTES. Returns NULL after a failure.
ctls_client *ctls_client_create(const char *application_protocol, char *text);
void ctls_client_free(ctls_client *client);

// Hands over bytes that came from the peer. Returns whether they were accepted.
int ctls_client_feed(ctls_client *client, const uint8_t *bytes, size_t count);
// Bytes that wait to be sent to the peer. Moves up to `capacity` of them to `bytes` and returns how many.
size_t ctls_client_take_output(ctls_client *client, uint8_t *bytes, size_t capacity);

// Drives the handshake as far as the bytes allow.
ctls_result ctls_client_handshake(ctls_client *client);
// Decrypts up to `capacity` bytes. `*count` is their number.
ctls_result ctls_client_read(ctls_client *client, uint8_t *bytes, size_t capacity, size_t *count);
// Encrypts all of `bytes`. The result waits as output.
ctls_result ctls_client_write(ctls_client *client, const uint8_t *bytes, size_t count);
// Says goodbye. The message waits as output. Only after a complete handshake.
void ctls_client_shutdown(ctls_client *client);
// Why the last call failed, or empty.
const char *ctls_client_error(const ctls_client *client);

// Facts about a complete handshake.
const char *ctls_client_version(const ctls_client *client);
// The negotiated application protocol. Returns its length, or 0 when the peer chose none.
size_t ctls_client_application_protocol(const ctls_client *client, uint8_t *bytes, size_t capacity);
// This side's own Finished message, "tls-unique" of a connection that was not resumed. Returns its length.
size_t ctls_client_finished(const ctls_client *client, uint8_t *bytes, size_t capacity);
// How many certificates the peer sent.
size_t ctls_client_certificate_count(const ctls_client *client);
// Certificate `index` in DER, the leaf first. Valid until the client is freed. NULL beyond the last or CTLS_CERTIFICATES_MAX.
const uint8_t *ctls_client_certificate(const ctls_client *client, size_t index, size_t *count);

// Returns whether `digest`, of CTLS_SHA256_BYTES, was written.
int ctls_sha256(const uint8_t *bytes, size_t count, uint8_t *digest);

// Reads the dates of a certificate as seconds since 1970. Returns whether it could be read.
int ctls_certificate_validity(const uint8_t *der, size_t count, int64_t *not_before, int64_t *not_after);

// Judges a chain of certificates, the leaf first: each must be issued and signed by the next one, the last is trusted,
// and all must be valid at `now` (seconds since 1970). Host names and purposes are not checked.
// `ders` holds the certificates one after the other, `lengths` their `count` lengths. `*index` is the certificate that the result
// is about. `text` has room for CTLS_TEXT_BYTES.
ctls_chain_result ctls_chain_verify(
    const uint8_t *ders, const size_t *lengths, size_t count, int64_t now, size_t *index, char *text);

// Checks a key that is signed like a certificate, SEQUENCE { SubjectPublicKeyInfo, AlgorithmIdentifier, BIT STRING }: it must
// hold an X25519 key and be signed by the Ed25519 or Ed448 key of the certificate `leaf`. The SubjectPublicKeyInfo may be inside
// one more SEQUENCE, which is then the signed data. `text` has room for CTLS_TEXT_BYTES.
ctls_key_result ctls_signed_key_verify(
    const uint8_t *leaf, size_t leaf_count, const uint8_t *signed_key, size_t signed_key_count, char *text);

#endif
