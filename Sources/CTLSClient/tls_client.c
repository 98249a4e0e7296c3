#include "CTLSClient.h"

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct ctls_client {
  SSL_CTX *context;
  SSL *ssl;
  // Owned by `ssl`.
  BIO *input;
  BIO *output;
  size_t certificate_count;
  unsigned char *certificates[CTLS_CERTIFICATES_MAX];
  size_t certificate_lengths[CTLS_CERTIFICATES_MAX];
  int is_established;
  char error[CTLS_TEXT_BYTES];
};

void ctls_set_text(char *text, const char *message) {
  size_t length = strlen(message);
  if (length >= CTLS_TEXT_BYTES) length = CTLS_TEXT_BYTES - 1;
  memcpy(text, message, length);
  text[length] = '\0';
}

void ctls_set_library_text(char *text, const char *otherwise) {
  unsigned long code = ERR_peek_last_error();
  const char *reason = code == 0 ? NULL : ERR_reason_error_string(code);
  ctls_set_text(text, reason != NULL ? reason : otherwise);
  ERR_clear_error();
}

// The library cleans up at exit by default, while other threads may still be using it.
void ctls_initialize(void) { (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

static int configure(SSL_CTX *context, const char *application_protocol) {
  unsigned char protocols[1 + UCHAR_MAX];
  size_t length = strlen(application_protocol);
  if (length == 0 || length > UCHAR_MAX) return 0;
  protocols[0] = (unsigned char)length;
  memcpy(protocols + 1, application_protocol, length);

  SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_max_cert_list(context, CTLS_CERTIFICATE_LIST_BYTES_MAX);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
      && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1
      && SSL_CTX_set_ciphersuites(context, "TLS_CHACHA20_POLY1305_SHA256") == 1
      // With Ed25519 and Ed448 certificates, TLS 1.2 uses the ECDSA suites (RFC 8422).
      && SSL_CTX_set_cipher_list(context, "ECDHE-ECDSA-CHACHA20-POLY1305") == 1
      && SSL_CTX_set1_sigalgs_list(context, "ed448:ed25519") == 1 && SSL_CTX_set1_groups_list(context, "X448:X25519") == 1
      // This one function returns 0 for success.
      && SSL_CTX_set_alpn_protos(context, protocols, (unsigned int)length + 1) == 0;
}

ctls_client *ctls_client_create(const char *application_protocol, char *text) {
  ctls_set_text(text, "");
  ctls_initialize();
  ERR_clear_error();
  ctls_client *client = calloc(1, sizeof *client);
  if (client == NULL) {
    ctls_set_text(text, "out of memory");
    return NULL;
  }
  BIO *input = NULL, *output = NULL;
  client->context = SSL_CTX_new(TLS_client_method());
  if (client->context == NULL || !configure(client->context, application_protocol)) goto failed;
  client->ssl = SSL_new(client->context);
  input = BIO_new(BIO_s_mem());
  output = BIO_new(BIO_s_mem());
  if (client->ssl == NULL || input == NULL || output == NULL) goto failed;
  // An empty buffer means that more bytes will come, not that the peer is gone.
  BIO_set_mem_eof_return(input, -1);
  BIO_set_mem_eof_return(output, -1);
  SSL_set_bio(client->ssl, input, output);
  client->input = input;
  client->output = output;
  SSL_set_connect_state(client->ssl);
  return client;

failed:
  ctls_set_library_text(text, "the TLS library does not take the settings");
  BIO_free(input);
  BIO_free(output);
  ctls_client_free(client);
  return NULL;
}

void ctls_client_free(ctls_client *client) {
  if (client == NULL) return;
  for (size_t index = 0; index < CTLS_CERTIFICATES_MAX; index++) OPENSSL_free(client->certificates[index]);
  SSL_free(client->ssl);
  SSL_CTX_free(client->context);
  ERR_clear_error();
  free(client);
}

int ctls_client_feed(ctls_client *client, const uint8_t *bytes, size_t count) {
  ERR_clear_error();
  while (count > 0) {
    int part = count > INT_MAX ? INT_MAX : (int)count;
    int taken = BIO_write(client->input, bytes, part);
    if (taken <= 0) {
      ctls_set_library_text(client->error, "out of memory");
      return 0;
    }
    bytes += taken;
    count -= (size_t)taken;
  }
  return 1;
}

size_t ctls_client_take_output(ctls_client *client, uint8_t *bytes, size_t capacity) {
  ERR_clear_error();
  if (capacity == 0) return 0;
  int taken = BIO_read(client->output, bytes, capacity > INT_MAX ? INT_MAX : (int)capacity);
  return taken > 0 ? (size_t)taken : 0;
}

// The meaning of the outcome of a library call. Must be called right after it.
static ctls_result result(ctls_client *client, int outcome) {
  switch (SSL_get_error(client->ssl, outcome)) {
    case SSL_ERROR_NONE: return CTLS_DONE;
    case SSL_ERROR_WANT_READ: return CTLS_AGAIN;
    // Output goes to memory, which always accepts it.
    case SSL_ERROR_WANT_WRITE: return CTLS_AGAIN;
    case SSL_ERROR_ZERO_RETURN: return CTLS_CLOSED;
    default:
      ctls_set_library_text(client->error, "the TLS connection broke");
      return CTLS_FAILED;
  }
}

// Copies the peer's chain, so that it does not depend on the connection's later life.
static int keep_certificates(ctls_client *client) {
  STACK_OF(X509) *chain = SSL_get_peer_cert_chain(client->ssl);
  int count = chain == NULL ? 0 : sk_X509_num(chain);
  for (int index = 0; index < count && index < CTLS_CERTIFICATES_MAX; index++) {
    // i2d_X509 allocates for a pointer that is NULL. Through any other it writes, and moves it behind the written bytes.
    unsigned char *der = NULL;
    int length = i2d_X509(sk_X509_value(chain, index), &der);
    if (length <= 0 || length > CTLS_CERTIFICATE_BYTES_MAX) {
      OPENSSL_free(der);
      ctls_set_text(client->error, "the server's certificate is too long");
      ERR_clear_error();
      return 0;
    }
    // An earlier call may have kept some before it failed.
    OPENSSL_free(client->certificates[index]);
    client->certificates[index] = der;
    client->certificate_lengths[index] = (size_t)length;
  }
  client->certificate_count = count < 0 ? 0 : (size_t)count;
  return 1;
}

ctls_result ctls_client_handshake(ctls_client *client) {
  if (client->is_established) return CTLS_DONE;
  ERR_clear_error();
  ctls_result outcome = result(client, SSL_do_handshake(client->ssl));
  if (outcome != CTLS_DONE) return outcome;
  if (!keep_certificates(client)) return CTLS_FAILED;
  client->is_established = 1;
  return CTLS_DONE;
}

ctls_result ctls_client_read(ctls_client *client, uint8_t *bytes, size_t capacity, size_t *count) {
  *count = 0;
  if (capacity == 0) return CTLS_AGAIN;
  ERR_clear_error();
  return result(client, SSL_read_ex(client->ssl, bytes, capacity, count));
}

ctls_result ctls_client_write(ctls_client *client, const uint8_t *bytes, size_t count) {
  if (count == 0) return CTLS_DONE;
  ERR_clear_error();
  size_t written = 0;
  ctls_result outcome = result(client, SSL_write_ex(client->ssl, bytes, count, &written));
  if (outcome != CTLS_DONE || written == count) return outcome;
  ctls_set_text(client->error, "not everything could be written");
  return CTLS_FAILED;
}

void ctls_client_shutdown(ctls_client *client) {
  if (!client->is_established) return;
  ERR_clear_error();
  // The peer's own goodbye is not waited for.
  (void)SSL_shutdown(client->ssl);
  ERR_clear_error();
}

const char *ctls_client_error(const ctls_client *client) { return client->error; }

const char *ctls_client_version(const ctls_client *client) { return SSL_get_version(client->ssl); }

size_t ctls_client_application_protocol(const ctls_client *client, uint8_t *bytes, size_t capacity) {
  const unsigned char *name = NULL;
  unsigned int length = 0;
  SSL_get0_alpn_selected(client->ssl, &name, &length);
  if (name == NULL || length > capacity) return 0;
  memcpy(bytes, name, length);
  return length;
}

size_t ctls_client_finished(const ctls_client *client, uint8_t *bytes, size_t capacity) {
  if (!client->is_established) return 0;
  size_t length = SSL_get_finished(client->ssl, bytes, capacity);
  return length > capacity ? 0 : length;
}

size_t ctls_client_certificate_count(const ctls_client *client) { return client->certificate_count; }

const uint8_t *ctls_client_certificate(const ctls_client *client, size_t index, size_t *count) {
  *count = 0;
  if (index >= CTLS_CERTIFICATES_MAX || index >= client->certificate_count) return NULL;
  *count = client->certificate_lengths[index];
  return client->certificates[index];
}
