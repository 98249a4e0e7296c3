#include <limits.h>
#include <openssl/asn1.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "CTLSClient.h"
#include "internal.h"

int ctls_sha256(const uint8_t *bytes, size_t count, uint8_t *digest) {
  ctls_initialize();
  unsigned int length = 0;
  int is_done = EVP_Digest(bytes, count, digest, &length, EVP_sha256(), NULL) == 1;
  ERR_clear_error();
  return is_done && length == CTLS_SHA256_BYTES;
}

// Reads exactly one certificate that takes up all of `count` bytes.
static X509 *read_certificate(const uint8_t *der, size_t count) {
  if (count == 0 || count > CTLS_CERTIFICATE_BYTES_MAX) return NULL;
  const unsigned char *cursor = der;
  X509 *certificate = d2i_X509(NULL, &cursor, (long)count);
  if (certificate != NULL && cursor != der + count) {
    X509_free(certificate);
    certificate = NULL;
  }
  ERR_clear_error();
  return certificate;
}

static int seconds_since_1970(const ASN1_TIME *time, int64_t *seconds) {
  ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
  int days = 0, rest = 0;
  int is_read = epoch != NULL && time != NULL && ASN1_TIME_diff(&days, &rest, epoch, time) == 1;
  ASN1_TIME_free(epoch);
  if (is_read) *seconds = (int64_t)days * 86400 + rest;
  return is_read;
}

int ctls_certificate_validity(const uint8_t *der, size_t count, int64_t *not_before, int64_t *not_after) {
  ctls_initialize();
  X509 *certificate = read_certificate(der, count);
  if (certificate == NULL) return 0;
  int is_read = seconds_since_1970(X509_get0_notBefore(certificate), not_before)
             && seconds_since_1970(X509_get0_notAfter(certificate), not_after);
  X509_free(certificate);
  ERR_clear_error();
  return is_read;
}

// Whether each certificate is issued and signed by the next. The library builds its own chain from the certificates, and may leave
// out some. Then a leaf signed by anyone could stand before someone else's identity.
static int is_signed_in_order(X509 *const *chain, size_t count, size_t *index, char *text) {
  for (size_t position = 0; position + 1 < count; position++) {
    *index = position;
    int issued = X509_check_issued(chain[position + 1], chain[position]);
    if (issued != X509_V_OK) {
      ctls_set_text(text, X509_verify_cert_error_string(issued));
      return 0;
    }
    EVP_PKEY *key = X509_get0_pubkey(chain[position + 1]);
    if (key == NULL || X509_verify(chain[position], key) != 1) {
      ctls_set_text(text, "certificate signature failure");
      return 0;
    }
  }
  return 1;
}

static ctls_chain_result verify(
    X509 *const *chain, size_t count, STACK_OF(X509) *untrusted, X509_STORE *store, X509_STORE_CTX *context, int64_t now,
    size_t *index, char *text) {
  for (size_t position = 1; position + 1 < count; position++) {
    // The stack borrows them: it is freed without its elements.
    if (sk_X509_push(untrusted, chain[position]) <= 0) return CTLS_CHAIN_INVALID;
  }
  if (X509_STORE_add_cert(store, chain[count - 1]) != 1) return CTLS_CHAIN_INVALID;
  if (X509_STORE_CTX_init(context, store, chain[0], untrusted) != 1) return CTLS_CHAIN_INVALID;
  X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context);
  // The last certificate is trusted, self-signed or not.
  if (X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN) != 1) return CTLS_CHAIN_INVALID;
  if (X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY) != 1) return CTLS_CHAIN_INVALID;
  X509_VERIFY_PARAM_set_time(parameters, (time_t)now);

  if (X509_verify_cert(context) == 1) return CTLS_CHAIN_VALID;
  int error = X509_STORE_CTX_get_error(context);
  X509 *culprit = X509_STORE_CTX_get_current_cert(context);
  for (size_t position = 0; culprit != NULL && position < count; position++) {
    if (X509_cmp(culprit, chain[position]) == 0) *index = position;
  }
  ctls_set_text(text, X509_verify_cert_error_string(error));
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED: return CTLS_CHAIN_EXPIRED;
    case X509_V_ERR_CERT_NOT_YET_VALID: return CTLS_CHAIN_NOT_YET_VALID;
    default: return CTLS_CHAIN_INVALID;
  }
}

ctls_chain_result ctls_chain_verify(
    const uint8_t *ders, const size_t *lengths, size_t count, int64_t now, size_t *index, char *text) {
  ctls_initialize();
  ERR_clear_error();
  *index = 0;
  ctls_set_text(text, "the chain could not be checked");
  if (count == 0 || count > CTLS_CERTIFICATES_MAX) {
    ctls_set_text(text, "no chain of certificates");
    return CTLS_CHAIN_INVALID;
  }
  ctls_chain_result outcome = CTLS_CHAIN_INVALID;
  X509 *chain[CTLS_CERTIFICATES_MAX] = {NULL};
  STACK_OF(X509) *untrusted = NULL;
  X509_STORE *store = NULL;
  X509_STORE_CTX *context = NULL;
  for (size_t position = 0; position < count; position++) {
    chain[position] = read_certificate(ders, lengths[position]);
    if (chain[position] == NULL) {
      *index = position;
      ctls_set_text(text, "not a certificate");
      goto done;
    }
    ders += lengths[position];
  }
  if (!is_signed_in_order(chain, count, index, text)) goto done;
  untrusted = sk_X509_new_null();
  store = X509_STORE_new();
  context = X509_STORE_CTX_new();
  *index = 0;
  if (untrusted == NULL || store == NULL || context == NULL) goto done;
  outcome = verify(chain, count, untrusted, store, context, now, index, text);

done:
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  sk_X509_free(untrusted);
  for (size_t position = 0; position < count; position++) X509_free(chain[position]);
  ERR_clear_error();
  return outcome;
}

typedef struct {
  const uint8_t *bytes;
  size_t count;
} slice;

// Takes one element with `tag` off the front of `rest`: `whole` with its header, `content` without.
static int take_element(slice *rest, uint8_t tag, slice *whole, slice *content) {
  if (rest->count < 2 || rest->bytes[0] != tag) return 0;
  size_t header = 2, length = rest->bytes[1];
  if (length >= 0x80) {
    size_t digits = length - 0x80;
    if (digits == 0 || digits > 2 || rest->count < 2 + digits) return 0;
    length = 0;
    for (size_t digit = 0; digit < digits; digit++) length = length << 8 | rest->bytes[2 + digit];
    // DER has one way to write a length.
    if (length < 0x80 || (digits == 2 && length < 0x100)) return 0;
    header += digits;
  }
  if (rest->count - header < length) return 0;
  *whole = (slice){rest->bytes, header + length};
  *content = (slice){rest->bytes + header, length};
  rest->bytes += header + length;
  rest->count -= header + length;
  return 1;
}

// Whether an AlgorithmIdentifier names the signatures that keys of this type make (RFC 8410): the identifier, no parameters.
static int is_algorithm(slice content, int key_type) {
  const uint8_t last = key_type == EVP_PKEY_ED25519 ? 112 : 113;
  const uint8_t identifier[] = {0x06, 0x03, 0x2B, 0x65, last};
  return content.count == sizeof identifier && memcmp(content.bytes, identifier, sizeof identifier) == 0;
}

static int is_x25519(slice key_info) {
  const unsigned char *cursor = key_info.bytes;
  EVP_PKEY *key = d2i_PUBKEY(NULL, &cursor, (long)key_info.count);
  int is_whole = cursor == key_info.bytes + key_info.count;
  int is_right = key != NULL && is_whole && EVP_PKEY_get_base_id(key) == EVP_PKEY_X25519;
  EVP_PKEY_free(key);
  ERR_clear_error();
  return is_right;
}

// Whether the signed data is an X25519 key: a SubjectPublicKeyInfo, alone or inside one more SEQUENCE. Servers send the latter
// (smp-server and xftp-server 6.5.5), and their signature covers the outer SEQUENCE.
static int holds_x25519(slice signed_part, slice content) {
  if (is_x25519(signed_part)) return 1;
  slice key_info, ignored;
  return take_element(&content, 0x30, &key_info, &ignored) && content.count == 0 && is_x25519(key_info);
}

static ctls_key_result verify_signature(EVP_PKEY *key, slice message, slice signature, char *text) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (context == NULL || EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) != 1) {
    EVP_MD_CTX_free(context);
    ctls_set_library_text(text, "the signature could not be checked");
    return CTLS_KEY_FAILED;
  }
  int outcome = EVP_DigestVerify(context, signature.bytes, signature.count, message.bytes, message.count);
  EVP_MD_CTX_free(context);
  ERR_clear_error();
  if (outcome == 1) return CTLS_KEY_VALID;
  ctls_set_text(text, "the signature is not by the server's certificate");
  return CTLS_KEY_FORGED;
}

ctls_key_result ctls_signed_key_verify(
    const uint8_t *leaf, size_t leaf_count, const uint8_t *signed_key, size_t signed_key_count, char *text) {
  ctls_initialize();
  ERR_clear_error();
  ctls_set_text(text, "");
  slice rest = {signed_key, signed_key_count}, whole, body, signed_part, content, algorithm, signature;
  if (signed_key_count > CTLS_SIGNED_KEY_BYTES_MAX || !take_element(&rest, 0x30, &whole, &body) || rest.count != 0
      || !take_element(&body, 0x30, &signed_part, &content) || !take_element(&body, 0x30, &whole, &algorithm)
      || !take_element(&body, 0x03, &whole, &signature) || body.count != 0
      // A bit string starts with the number of unused bits.
      || signature.count < 1 || signature.bytes[0] != 0) {
    ctls_set_text(text, "not a signed key");
    return CTLS_KEY_MALFORMED;
  }
  signature.bytes += 1;
  signature.count -= 1;
  if (!holds_x25519(signed_part, content)) {
    ctls_set_text(text, "the signed key is not an X25519 key");
    return CTLS_KEY_MALFORMED;
  }
  X509 *certificate = read_certificate(leaf, leaf_count);
  EVP_PKEY *key = certificate == NULL ? NULL : X509_get0_pubkey(certificate);
  int type = key == NULL ? EVP_PKEY_NONE : EVP_PKEY_get_base_id(key);
  ctls_key_result outcome;
  if (type != EVP_PKEY_ED25519 && type != EVP_PKEY_ED448) {
    ctls_set_text(text, "the server's certificate holds no Ed25519 or Ed448 key");
    outcome = CTLS_KEY_MALFORMED;
  } else if (!is_algorithm(algorithm, type)) {
    ctls_set_text(text, "the key is signed with another algorithm than the server's certificate has");
    outcome = CTLS_KEY_FORGED;
  } else {
    outcome = verify_signature(key, signed_part, signature, text);
  }
  X509_free(certificate);
  ERR_clear_error();
  return outcome;
}
