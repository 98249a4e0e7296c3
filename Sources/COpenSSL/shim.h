// OpenSSL's libcrypto: digests, keyed digests, derived keys and authenticated encryption.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
