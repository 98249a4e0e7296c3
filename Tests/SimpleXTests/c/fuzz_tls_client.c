// Feeds Sources/CTLSClient with what servers sent, as it is and damaged, and with damaged TLS connections. It is made for
// AddressSanitizer and UndefinedBehaviorSanitizer: every input lies in memory of exactly its length, and all memory is freed.
//
//   fuzz_tls_client ROUNDS SEED (NOW HELLO)...
//
// ROUNDS: how many damaged inputs there are.
// SEED: the same seed damages the same bytes. (TLS has randomness of its own.)
// NOW: a time, in seconds since 1970, at which the certificates in the hello are valid.
// HELLO: a file that holds a server's hello, from the version range on.
//
// Prints what was tried; ends with 1 and a sentence when something is not as it must be. Compiled with the files it tries.

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CTLSClient.h"

enum { HELLO_BYTES_MAX = 16384, HELLOS_MAX = 16 };

#define REQUIRE(condition, ...) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "fuzz_tls_client.c:%d: ", __LINE__); \
      fprintf(stderr, __VA_ARGS__); \
      fputc('\n', stderr); \
      /* Without looking for leaks: nothing was freed. */ \
      _Exit(1); \
    } \
  } while (0)

// Memory of exactly `count` bytes, so that a byte read or written beyond them is noticed.
typedef struct {
  uint8_t *bytes;
  size_t count;
} blob;

static blob blob_of(const uint8_t *bytes, size_t count) {
  blob copy = {malloc(count), count};
  REQUIRE(copy.bytes != NULL || count == 0, "out of memory");
  if (count > 0) memcpy(copy.bytes, bytes, count);
  return copy;
}

static int is_same(blob one, blob other) {
  return one.count == other.count && (one.count == 0 || memcmp(one.bytes, other.bytes, one.count) == 0);
}

// SplitMix64, as in the tests that are written in Swift.
static uint64_t state;

static uint64_t random_number(uint64_t below) {
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (z ^ (z >> 31)) % below;
}

// A copy with one to four edits: a byte changed, removed or doubled, or the end cut off.
static blob damaged(blob whole) {
  static const uint8_t signs[] = {0x00, 0x01, 0x03, 0x30, 0x7F, 0x80, 0x81, 0x82, 0x84, 0xFF};
  uint8_t *bytes = malloc(whole.count + 4);
  REQUIRE(bytes != NULL, "out of memory");
  size_t count = whole.count;
  if (count > 0) memcpy(bytes, whole.bytes, count);
  for (uint64_t edits = 1 + random_number(4); edits > 0 && count > 0; edits--) {
    // Headers and lengths are mostly near the start.
    size_t reach = random_number(2) == 0 && count > 64 ? 64 : count;
    size_t index = (size_t)random_number(reach);
    switch (random_number(16)) {
      case 0: count = (size_t)random_number(count + 1); break;
      case 1: memmove(bytes + index, bytes + index + 1, --count - index); break;
      case 2: memmove(bytes + index + 1, bytes + index, count++ - index); break;
      case 3:
      case 4:
      case 5: bytes[index] = signs[random_number(sizeof signs)]; break;
      case 6: bytes[index] += 1; break;
      case 7: bytes[index] -= 1; break;
      default: bytes[index] ^= (uint8_t)(1u << random_number(8)); break;
    }
  }
  blob copy = blob_of(bytes, count);
  free(bytes);
  return copy;
}

// What a server shows: its chain, the leaf first, and the key that the leaf signed.
typedef struct {
  const char *name;
  int64_t now;
  blob whole;
  blob chain[CTLS_CERTIFICATES_MAX];
  size_t chain_count;
  blob key;
} hello;

// Takes a part with its length before it off the front of `rest`.
static blob take_part(blob *rest, size_t length_bytes, const char *name) {
  size_t count = 0;
  REQUIRE(rest->count >= length_bytes, "%s: it ends early", name);
  for (size_t index = 0; index < length_bytes; index++) count = count << 8 | rest->bytes[index];
  REQUIRE(rest->count - length_bytes >= count, "%s: it ends early", name);
  blob part = blob_of(rest->bytes + length_bytes, count);
  rest->bytes += length_bytes + count;
  rest->count -= length_bytes + count;
  return part;
}

static hello read_hello(const char *name, int64_t now) {
  FILE *file = fopen(name, "rb");
  REQUIRE(file != NULL, "%s cannot be read", name);
  static uint8_t bytes[HELLO_BYTES_MAX];
  size_t count = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  REQUIRE(count > 5, "%s is no hello", name);
  hello hello = {.name = name, .now = now, .whole = blob_of(bytes, count)};
  // Behind two versions.
  blob rest = {bytes + 4, count - 4};
  free(take_part(&rest, 1, name).bytes);
  REQUIRE(rest.count > 0 && rest.bytes[0] >= 1 && rest.bytes[0] <= CTLS_CERTIFICATES_MAX, "%s has no chain", name);
  hello.chain_count = rest.bytes[0];
  rest.bytes += 1;
  rest.count -= 1;
  for (size_t index = 0; index < hello.chain_count; index++) hello.chain[index] = take_part(&rest, 2, name);
  hello.key = take_part(&rest, 2, name);
  return hello;
}

static void free_hello(hello hello) {
  for (size_t index = 0; index < hello.chain_count; index++) free(hello.chain[index].bytes);
  free(hello.key.bytes);
  free(hello.whole.bytes);
}

static void require_text(const char *text) {
  REQUIRE(memchr(text, 0, CTLS_TEXT_BYTES) != NULL, "a text without an end");
}

static ctls_key_result verify_key(blob leaf, blob key) {
  char text[CTLS_TEXT_BYTES];
  memset(text, '?', sizeof text);
  ctls_key_result result = ctls_signed_key_verify(leaf.bytes, leaf.count, key.bytes, key.count, text);
  require_text(text);
  REQUIRE((text[0] == 0) == (result == CTLS_KEY_VALID), "result %d with the text '%s'", (int)result, text);
  return result;
}

static ctls_chain_result verify_chain(const blob *chain, size_t count, int64_t now) {
  size_t total = 0, lengths_room = count == 0 ? 1 : count;
  size_t *lengths = malloc(lengths_room * sizeof *lengths);
  REQUIRE(lengths != NULL, "out of memory");
  for (size_t index = 0; index < count; index++) total += lengths[index] = chain[index].count;
  uint8_t *ders = malloc(total);
  REQUIRE(ders != NULL || total == 0, "out of memory");
  for (size_t index = 0, start = 0; index < count; start += lengths[index++]) {
    if (lengths[index] > 0) memcpy(ders + start, chain[index].bytes, lengths[index]);
  }
  size_t culprit = SIZE_MAX;
  char text[CTLS_TEXT_BYTES];
  memset(text, '?', sizeof text);
  ctls_chain_result result = ctls_chain_verify(ders, lengths, count, now, &culprit, text);
  require_text(text);
  REQUIRE(culprit == 0 || culprit < count, "certificate %zu of %zu", culprit, count);
  free(ders);
  free(lengths);
  return result;
}

static void try_certificate(blob certificate) {
  int64_t from = 0, until = 0;
  (void)ctls_certificate_validity(certificate.bytes, certificate.count, &from, &until);
  uint8_t digest[CTLS_SHA256_BYTES];
  REQUIRE(ctls_sha256(certificate.bytes, certificate.count, digest), "no digest");
}

// What real servers send holds, and nothing else in its place.
static void try_as_it_is(const hello *hello) {
  int64_t now = hello->now;
  blob leaf = hello->chain[0], last = hello->chain[hello->chain_count - 1];
  REQUIRE(verify_chain(hello->chain, hello->chain_count, now) == CTLS_CHAIN_VALID, "%s: the chain", hello->name);
  REQUIRE(verify_chain(hello->chain, hello->chain_count, 0) == CTLS_CHAIN_NOT_YET_VALID, "%s: the dates", hello->name);
  REQUIRE(verify_key(leaf, hello->key) == CTLS_KEY_VALID, "%s: the signed key", hello->name);
  REQUIRE(verify_key(last, hello->key) == CTLS_KEY_FORGED, "%s: a key that the authority did not sign", hello->name);
  int64_t from = 0, until = 0;
  REQUIRE(ctls_certificate_validity(leaf.bytes, leaf.count, &from, &until) && from <= now && now <= until,
          "%s: the dates of the leaf", hello->name);
  // Cut at every byte.
  for (size_t count = 0; count < hello->key.count; count++) {
    blob part = blob_of(hello->key.bytes, count);
    REQUIRE(verify_key(leaf, part) == CTLS_KEY_MALFORMED, "%s: %zu bytes of the signed key", hello->name, count);
    free(part.bytes);
  }
  for (size_t count = 0; count < leaf.count; count++) {
    blob part = blob_of(leaf.bytes, count);
    try_certificate(part);
    REQUIRE(verify_key(part, hello->key) == CTLS_KEY_MALFORMED, "%s: %zu bytes of the leaf", hello->name, count);
    free(part.bytes);
  }
}

static void try_damaged(const hello *hello) {
  if (random_number(2) == 0) {
    blob key = damaged(hello->key);
    // Whoever can change the key must be able to sign it.
    int is_valid = verify_key(hello->chain[0], key) == CTLS_KEY_VALID;
    REQUIRE(!is_valid || is_same(key, hello->key), "%s: a forged key passes", hello->name);
    free(key.bytes);
    return;
  }
  blob chain[CTLS_CERTIFICATES_MAX];
  size_t count = (size_t)random_number(CTLS_CERTIFICATES_MAX + 1), changed = count == 0 ? 0 : (size_t)random_number(count);
  if (random_number(4) > 0) {
    count = hello->chain_count;
    changed = (size_t)random_number(count);
  }
  for (size_t index = 0; index < count; index++) {
    chain[index] = hello->chain[index < hello->chain_count ? index : hello->chain_count - 1];
  }
  if (count > 0) {
    chain[changed] = damaged(chain[changed]);
    try_certificate(chain[changed]);
    (void)verify_key(chain[changed], hello->key);
  }
  (void)verify_chain(chain, count, hello->now);
  if (count > 0) free(chain[changed].bytes);
}

// A server in the same process, without a socket.
typedef struct {
  SSL_CTX *context;
  SSL *ssl;
} server;

static EVP_PKEY *new_key(int type) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(type, NULL);
  REQUIRE(context != NULL && EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_keygen(context, &key) == 1, "no key");
  EVP_PKEY_CTX_free(context);
  return key;
}

// A certificate that signs itself and is made long by a comment of `comment_bytes`.
static X509 *new_certificate(EVP_PKEY *key, size_t comment_bytes) {
  X509 *certificate = X509_new();
  REQUIRE(certificate != NULL, "out of memory");
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_NAME *name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_set_pubkey(certificate, key);
  if (comment_bytes > 0) {
    char *comment = malloc(comment_bytes + 1);
    REQUIRE(comment != NULL, "out of memory");
    memset(comment, 'a', comment_bytes);
    comment[comment_bytes] = 0;
    X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, NULL, NID_netscape_comment, comment);
    REQUIRE(extension != NULL && X509_add_ext(certificate, extension, -1) == 1, "no comment");
    X509_EXTENSION_free(extension);
    free(comment);
  }
  REQUIRE(X509_sign(certificate, key, NULL) > 0, "the certificate cannot be signed");
  return certificate;
}

static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *length, const unsigned char *in,
                           unsigned int in_length, void *argument) {
  (void)ssl;
  (void)argument;
  if (in_length < 1 || in[0] >= in_length) return SSL_TLSEXT_ERR_NOACK;
  *out = in + 1;
  *length = in[0];
  return SSL_TLSEXT_ERR_OK;
}

// - leaf_comment, more_comment: bytes that lengthen the leaf and the other certificate.
static server new_server(int key_type, int version, size_t leaf_comment, size_t more_comment) {
  server server = {SSL_CTX_new(TLS_server_method()), NULL};
  EVP_PKEY *key = new_key(key_type);
  X509 *leaf = new_certificate(key, leaf_comment), *more = new_certificate(key, more_comment);
  REQUIRE(SSL_CTX_set_max_proto_version(server.context, version) == 1 && SSL_CTX_use_certificate(server.context, leaf) == 1
              && SSL_CTX_use_PrivateKey(server.context, key) == 1 && SSL_CTX_add1_chain_cert(server.context, more) == 1,
          "the server does not take its certificate");
  SSL_CTX_set_alpn_select_cb(server.context, choose_protocol, NULL);
  X509_free(leaf);
  X509_free(more);
  EVP_PKEY_free(key);
  return server;
}

static void accept_client(server *server) {
  SSL_free(server->ssl);
  server->ssl = SSL_new(server->context);
  REQUIRE(server->ssl != NULL, "out of memory");
  SSL_set_bio(server->ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_accept_state(server->ssl);
}

static void free_server(server server) {
  SSL_free(server.ssl);
  SSL_CTX_free(server.context);
}

// Moves what the client has to say to the server.
static void move_to_server(ctls_client *client, server *server) {
  uint8_t bytes[4096];
  for (size_t count; (count = ctls_client_take_output(client, bytes, sizeof bytes)) > 0;) {
    REQUIRE(BIO_write(SSL_get_rbio(server->ssl), bytes, (int)count) == (int)count, "out of memory");
  }
}

// Moves what the server has to say to the client.
// - damage: 0: nothing is damaged; otherwise one in so many messages is.
static void move_to_client(server *server, ctls_client *client, uint64_t damage) {
  static uint8_t bytes[1 << 18];
  int count = BIO_read(SSL_get_wbio(server->ssl), bytes, sizeof bytes);
  if (count <= 0) return;
  blob message = {bytes, (size_t)count};
  message = damage > 0 && random_number(damage) == 0 ? damaged(message) : blob_of(bytes, (size_t)count);
  // In two pieces, as networks do.
  size_t first = (size_t)random_number(message.count + 1);
  REQUIRE(ctls_client_feed(client, message.bytes, first), "out of memory");
  REQUIRE(ctls_client_feed(client, message.bytes + first, message.count - first), "out of memory");
  free(message.bytes);
}

static ctls_result shake_hands(ctls_client *client, server *server, uint64_t damage) {
  accept_client(server);
  ctls_result result = CTLS_AGAIN;
  for (int turn = 0; turn < 8 && result == CTLS_AGAIN; turn++) {
    result = ctls_client_handshake(client);
    move_to_server(client, server);
    (void)SSL_do_handshake(server->ssl);
    ERR_clear_error();
    move_to_client(server, client, damage);
  }
  return result;
}

static ctls_client *new_client(void) {
  char text[CTLS_TEXT_BYTES];
  ctls_client *client = ctls_client_create("smp/1", text);
  REQUIRE(client != NULL, "no client: %s", text);
  return client;
}

// Asks for everything that there is to know, in any state.
static void ask_everything(ctls_client *client) {
  uint8_t *few = malloc(8), *bytes = malloc(512);
  REQUIRE(few != NULL && bytes != NULL, "out of memory");
  size_t count = 0;
  REQUIRE(ctls_client_finished(client, few, 8) == 0 && ctls_client_finished(client, bytes, 64) <= 64, "the Finished message");
  REQUIRE(ctls_client_application_protocol(client, few, 2) == 0, "the application protocol");
  (void)ctls_client_application_protocol(client, bytes, 255);
  REQUIRE(ctls_client_version(client) != NULL, "the version");
  require_text(ctls_client_error(client));
  for (size_t index = 0; index <= CTLS_CERTIFICATES_MAX; index++) {
    const uint8_t *certificate = ctls_client_certificate(client, index, &count);
    REQUIRE((certificate == NULL) == (count == 0) && count <= CTLS_CERTIFICATE_BYTES_MAX, "certificate %zu", index);
    // Every byte is there to be read.
    uint8_t sum = 0;
    for (size_t position = 0; position < count; position++) sum ^= certificate[position];
    bytes[0] = sum;
  }
  (void)ctls_client_write(client, bytes, 100);
  (void)ctls_client_read(client, bytes, 512, &count);
  REQUIRE(count <= 512, "more bytes than there is room for");
  ctls_client_shutdown(client);
  while (ctls_client_take_output(client, bytes, 512) > 0) {}
  free(few);
  free(bytes);
}

static void try_handshake(int key_type, int version) {
  server server = new_server(key_type, version, 0, 16000);
  ctls_client *client = new_client();
  REQUIRE(shake_hands(client, &server, 0) == CTLS_DONE, "no handshake: %s", ctls_client_error(client));
  REQUIRE(ctls_client_handshake(client) == CTLS_DONE, "a second call after a handshake");
  uint8_t own[64], known[64];
  size_t count = ctls_client_finished(client, own, sizeof own);
  REQUIRE(count > 0 && count == SSL_get_peer_finished(server.ssl, known, sizeof known) && memcmp(own, known, count) == 0,
          "the Finished message is not what the server knows");
  REQUIRE(ctls_client_certificate_count(client) == 2, "%zu certificates", ctls_client_certificate_count(client));
  ask_everything(client);
  ctls_client_free(client);
  free_server(server);
}

// A caller that asks again after a failure is told again; nothing is written where an earlier call ended.
static void try_long_certificates(size_t leaf_comment, size_t more_comment) {
  server server = new_server(EVP_PKEY_ED25519, TLS1_3_VERSION, leaf_comment, more_comment);
  ctls_client *client = new_client();
  REQUIRE(shake_hands(client, &server, 0) == CTLS_FAILED, "a certificate that is too long passes");
  for (int call = 0; call < 4; call++) {
    REQUIRE(ctls_client_handshake(client) == CTLS_FAILED, "a second call after a failure");
    REQUIRE(strcmp(ctls_client_error(client), "the server's certificate is too long") == 0, "'%s'", ctls_client_error(client));
  }
  size_t kept = ctls_client_certificate_count(client);
  ask_everything(client);
  ctls_client_free(client);
  free_server(server);
  REQUIRE(kept == 0, "a failed handshake shows %zu certificates", kept);
}

static void try_damaged_handshake(server *server, const hello *hello) {
  ctls_client *client = new_client();
  if (random_number(8) == 0) {
    // A server that does not speak TLS.
    blob message = damaged(hello->whole);
    (void)ctls_client_handshake(client);
    (void)ctls_client_feed(client, message.bytes, message.count);
    (void)ctls_client_handshake(client);
    free(message.bytes);
  } else if (shake_hands(client, server, 2) == CTLS_DONE) {
    // What comes after the handshake, damaged too.
    (void)SSL_write(server->ssl, hello->whole.bytes, (int)hello->whole.count);
    ERR_clear_error();
    move_to_client(server, client, 2);
  }
  ask_everything(client);
  ctls_client_free(client);
}

int main(int count, char **arguments) {
  int is_right = count > 4 && count % 2 == 1 && (count - 3) / 2 <= HELLOS_MAX;
  REQUIRE(is_right, "usage: fuzz_tls_client ROUNDS SEED (NOW HELLO)...");
  unsigned long rounds = strtoul(arguments[1], NULL, 10), handshakes = 0;
  state = strtoull(arguments[2], NULL, 10);
  size_t hello_count = (size_t)(count - 3) / 2;
  hello hellos[HELLOS_MAX];
  for (size_t index = 0; index < hello_count; index++) {
    hellos[index] = read_hello(arguments[4 + 2 * index], strtoll(arguments[3 + 2 * index], NULL, 10));
  }

  for (size_t index = 0; index < hello_count; index++) try_as_it_is(&hellos[index]);
  try_handshake(EVP_PKEY_ED25519, TLS1_3_VERSION);
  try_handshake(EVP_PKEY_ED448, TLS1_3_VERSION);
  try_handshake(EVP_PKEY_ED448, TLS1_2_VERSION);
  try_long_certificates(20000, 0);
  try_long_certificates(0, 20000);

  server servers[] = {
    new_server(EVP_PKEY_ED25519, TLS1_3_VERSION, 0, 0), new_server(EVP_PKEY_ED448, TLS1_3_VERSION, 0, 0),
    new_server(EVP_PKEY_ED25519, TLS1_2_VERSION, 0, 0), new_server(EVP_PKEY_ED448, TLS1_2_VERSION, 0, 16000),
  };
  for (unsigned long round = 0; round < rounds; round++) {
    const hello *hello = &hellos[random_number(hello_count)];
    try_damaged(hello);
    // Most of a handshake is the library's work, and it takes long.
    if (round % 32 != 0) continue;
    handshakes++;
    try_damaged_handshake(&servers[random_number(sizeof servers / sizeof servers[0])], hello);
  }

  for (size_t index = 0; index < sizeof servers / sizeof servers[0]; index++) free_server(servers[index]);
  for (size_t index = 0; index < hello_count; index++) free_hello(hellos[index]);
  printf("%zu hellos, %lu damaged inputs and %lu damaged handshakes\n", hello_count, rounds, handshakes);
  return 0;
}
