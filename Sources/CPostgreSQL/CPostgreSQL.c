#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* libpq's list of settings. The layout is part of its interface. */
struct option {
  char *keyword;
  char *envvar;
  char *compiled;
  char *val;
  char *label;
  char *dispchar;
  int dispsize;
};

enum { FIELD_STATE = 'C', FIELD_TEXT = 'M', FIELD_CONSTRAINT = 'n', FIELD_SEVERITY = 'V' };

static struct {
  int (*PQlibVersion)(void);
  struct option *(*PQconninfoParse)(const char *, char **);
  void (*PQconninfoFree)(struct option *);
  void (*PQfreemem)(void *);
  pq_connection *(*PQconnectStartParams)(const char *const *, const char *const *, int);
  int (*PQconnectPoll)(pq_connection *);
  int (*PQstatus)(const pq_connection *);
  int (*PQsocket)(const pq_connection *);
  int (*PQbackendPID)(const pq_connection *);
  int (*PQserverVersion)(const pq_connection *);
  char *(*PQerrorMessage)(const pq_connection *);
  const char *(*PQparameterStatus)(const pq_connection *, const char *);
  char *(*PQhost)(const pq_connection *);
  void (*PQfinish)(pq_connection *);
  void *(*PQsetNoticeReceiver)(pq_connection *, void (*)(void *, const pq_result *), void *);
  int (*PQsetnonblocking)(pq_connection *, int);
  int (*PQenterPipelineMode)(pq_connection *);
  int (*PQpipelineSync)(pq_connection *);
  int (*PQsendPrepare)(pq_connection *, const char *, const char *, int, const unsigned int *);
  int (*PQsendQueryPrepared)(
    pq_connection *, const char *, int, const char *const *, const int *, const int *, int);
  int (*PQflush)(pq_connection *);
  int (*PQconsumeInput)(pq_connection *);
  int (*PQisBusy)(pq_connection *);
  pq_result *(*PQgetResult)(pq_connection *);
  int (*PQresultStatus)(const pq_result *);
  char *(*PQresultErrorField)(const pq_result *, int);
  char *(*PQcmdTuples)(pq_result *);
  int (*PQntuples)(const pq_result *);
  int (*PQnfields)(const pq_result *);
  char *(*PQgetvalue)(const pq_result *, int, int);
  int (*PQgetlength)(const pq_result *, int, int);
  int (*PQgetisnull)(const pq_result *, int, int);
  void (*PQclear)(pq_result *);
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *fault = NULL;

#define FIND(name) {#name, offsetof(__typeof__(library), name)}

static const struct {
  const char *name;
  size_t place;
} symbols[] = {
  FIND(PQlibVersion), FIND(PQconninfoParse), FIND(PQconninfoFree), FIND(PQfreemem), FIND(PQconnectStartParams),
  FIND(PQconnectPoll), FIND(PQstatus), FIND(PQsocket), FIND(PQbackendPID), FIND(PQserverVersion), FIND(PQerrorMessage),
  FIND(PQparameterStatus), FIND(PQhost), FIND(PQfinish), FIND(PQsetNoticeReceiver), FIND(PQsetnonblocking),
  FIND(PQenterPipelineMode), FIND(PQpipelineSync), FIND(PQsendPrepare), FIND(PQsendQueryPrepared), FIND(PQflush),
  FIND(PQconsumeInput), FIND(PQisBusy), FIND(PQgetResult), FIND(PQresultStatus), FIND(PQresultErrorField),
  FIND(PQcmdTuples), FIND(PQntuples), FIND(PQnfields), FIND(PQgetvalue), FIND(PQgetlength), FIND(PQgetisnull),
  FIND(PQclear),
};

static void load(void) {
  void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fault = "libpq.so.5 cannot be loaded; install PostgreSQL's client library (on Debian the package libpq5)";
    return;
  }
  for (size_t index = 0; index < sizeof symbols / sizeof symbols[0]; index++) {
    void *found = dlsym(handle, symbols[index].name);
    if (!found) {
      /* Pipelines came with version 14. */
      fault = "PostgreSQL's client library (libpq.so.5) is too old; version 14 or later is needed";
      return;
    }
    memcpy((char *)&library + symbols[index].place, &found, sizeof found);
  }
}

const char *pq_load(void) {
  pthread_once(&once, load);
  return fault;
}

int pq_libVersion(void) { return library.PQlibVersion(); }

char **pq_settings(const char *conninfo, char **fault) {
  char *text = NULL;
  *fault = NULL;
  struct option *options = library.PQconninfoParse(conninfo, &text);
  if (!options) {
    *fault = strdup(text ? text : "out of memory");
    if (text) library.PQfreemem(text);
    return NULL;
  }
  size_t count = 0;
  for (struct option *option = options; option->keyword; option++) count += 2;
  char **words = calloc(count + 1, sizeof *words);
  if (words) {
    char **next = words;
    for (struct option *option = options; option->keyword; option++) {
      if (!option->val) continue;
      char *keyword = strdup(option->keyword), *value = strdup(option->val);
      if (!keyword || !value) {
        /* A list that ends early might lack what protects the connection. */
        free(keyword);
        free(value);
        pq_freeWords(words);
        words = NULL;
        break;
      }
      *next++ = keyword;
      *next++ = value;
    }
  }
  if (!words) *fault = strdup("out of memory");
  library.PQconninfoFree(options);
  return words;
}

void pq_freeWords(char **words) {
  if (!words) return;
  for (char **word = words; *word; word++) free(*word);
  free(words);
}

pq_connection *pq_connectStart(const char *const *keywords, const char *const *values) {
  return library.PQconnectStartParams(keywords, values, 0);
}

int pq_connectPoll(pq_connection *connection) { return library.PQconnectPoll(connection); }
int pq_status(const pq_connection *connection) { return library.PQstatus(connection); }
int pq_socket(const pq_connection *connection) { return library.PQsocket(connection); }
int pq_backendPID(const pq_connection *connection) { return library.PQbackendPID(connection); }
int pq_serverVersion(const pq_connection *connection) { return library.PQserverVersion(connection); }
const char *pq_errorMessage(const pq_connection *connection) { return library.PQerrorMessage(connection); }
const char *pq_parameterStatus(const pq_connection *connection, const char *name) {
  return library.PQparameterStatus(connection, name);
}
const char *pq_host(const pq_connection *connection) { return library.PQhost(connection); }
void pq_finish(pq_connection *connection) { library.PQfinish(connection); }

struct listener {
  void (*receive)(void *, const char *, const char *);
  void *context;
};

static void notice(void *context, const pq_result *result) {
  struct listener *listener = context;
  const char *state = library.PQresultErrorField(result, FIELD_STATE);
  const char *text = library.PQresultErrorField(result, FIELD_TEXT);
  listener->receive(listener->context, state ? state : "", text ? text : "");
}

void *pq_onNotice(pq_connection *connection, void (*receive)(void *, const char *, const char *), void *context) {
  struct listener *listener = malloc(sizeof *listener);
  if (!listener) return NULL;
  listener->receive = receive;
  listener->context = context;
  library.PQsetNoticeReceiver(connection, notice, listener);
  return listener;
}

int pq_setNonblocking(pq_connection *connection) { return library.PQsetnonblocking(connection, 1); }
int pq_enterPipeline(pq_connection *connection) { return library.PQenterPipelineMode(connection); }
int pq_pipelineSync(pq_connection *connection) { return library.PQpipelineSync(connection); }
int pq_sendPrepare(pq_connection *connection, const char *name, const char *text, int count, const unsigned int *types) {
  return library.PQsendPrepare(connection, name, text, count, types);
}
int pq_sendPrepared(
  pq_connection *connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats) {
  /* Results are binary. */
  return library.PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1);
}
int pq_flush(pq_connection *connection) { return library.PQflush(connection); }
int pq_consumeInput(pq_connection *connection) { return library.PQconsumeInput(connection); }
int pq_isBusy(pq_connection *connection) { return library.PQisBusy(connection); }
pq_result *pq_getResult(pq_connection *connection) { return library.PQgetResult(connection); }

int pq_resultStatus(const pq_result *result) { return library.PQresultStatus(result); }
const char *pq_resultState(const pq_result *result) { return library.PQresultErrorField(result, FIELD_STATE); }
const char *pq_resultSeverity(const pq_result *result) { return library.PQresultErrorField(result, FIELD_SEVERITY); }
const char *pq_resultMessage(const pq_result *result) { return library.PQresultErrorField(result, FIELD_TEXT); }
const char *pq_resultConstraint(const pq_result *result) { return library.PQresultErrorField(result, FIELD_CONSTRAINT); }
const char *pq_affected(pq_result *result) { return library.PQcmdTuples(result); }
int pq_rows(const pq_result *result) { return library.PQntuples(result); }
int pq_columns(const pq_result *result) { return library.PQnfields(result); }
const char *pq_value(const pq_result *result, int row, int column) { return library.PQgetvalue(result, row, column); }
int pq_length(const pq_result *result, int row, int column) { return library.PQgetlength(result, row, column); }
int pq_isNull(const pq_result *result, int row, int column) { return library.PQgetisnull(result, row, column); }
void pq_clear(pq_result *result) { library.PQclear(result); }
