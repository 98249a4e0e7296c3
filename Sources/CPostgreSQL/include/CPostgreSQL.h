/* The part of libpq that Baton uses. The library is loaded when it is first needed, so that a daemon without a PostgreSQL
   store needs none of it. Names and meanings are libpq's own, with the prefix pq_ in place of PQ; `pq_load` comes before all others. */
#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H

typedef struct pg_conn pq_connection;
typedef struct pg_result pq_result;

/* Loads libpq. Returns NULL, or the reason why it is unusable. Any thread may call it any number of times. */
const char *pq_load(void);

/* The version of libpq, such as 150018. Valid once it is loaded. */
int pq_libVersion(void);

enum { PQ_CONNECTION_OK = 0, PQ_CONNECTION_BAD = 1 };
enum { PQ_POLLING_FAILED = 0, PQ_POLLING_READING = 1, PQ_POLLING_WRITING = 2, PQ_POLLING_OK = 3 };
enum {
  PQ_EMPTY_QUERY = 0,
  PQ_COMMAND_OK = 1,
  PQ_TUPLES_OK = 2,
  PQ_FATAL_ERROR = 7,
  PQ_PIPELINE_SYNC = 10,
  PQ_PIPELINE_ABORTED = 11,
};

/* The settings in a connection string as words: keyword, value, keyword, value, …, NULL. Only the given ones. `fault` gets a text when the
   string cannot be read. Free both with `pq_freeWords` and `free`. */
char **pq_settings(const char *conninfo, char **fault);
void pq_freeWords(char **words);

pq_connection *pq_connectStart(const char *const *keywords, const char *const *values);
int pq_connectPoll(pq_connection *connection);
int pq_status(const pq_connection *connection);
int pq_socket(const pq_connection *connection);
int pq_backendPID(const pq_connection *connection);
int pq_serverVersion(const pq_connection *connection);
const char *pq_errorMessage(const pq_connection *connection);
const char *pq_parameterStatus(const pq_connection *connection, const char *name);
const char *pq_host(const pq_connection *connection);
void pq_finish(pq_connection *connection);

/* Hands each notice of the server to `receive`, with its SQLSTATE and text. Returns memory that the caller frees once the connection is
   finished, and NULL if there is none. */
void *pq_onNotice(pq_connection *connection, void (*receive)(void *context, const char *state, const char *text), void *context);

int pq_setNonblocking(pq_connection *connection);
int pq_enterPipeline(pq_connection *connection);
int pq_pipelineSync(pq_connection *connection);
int pq_sendPrepare(pq_connection *connection, const char *name, const char *text, int count, const unsigned int *types);
int pq_sendPrepared(
  pq_connection *connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats);
int pq_flush(pq_connection *connection);
int pq_consumeInput(pq_connection *connection);
int pq_isBusy(pq_connection *connection);
pq_result *pq_getResult(pq_connection *connection);

int pq_resultStatus(const pq_result *result);
const char *pq_resultState(const pq_result *result);
/* FATAL and PANIC end the connection. Always in English. NULL if the error is libpq's own. */
const char *pq_resultSeverity(const pq_result *result);
const char *pq_resultMessage(const pq_result *result);
/* The name of the constraint that was violated, or NULL. */
const char *pq_resultConstraint(const pq_result *result);
const char *pq_affected(pq_result *result);
int pq_rows(const pq_result *result);
int pq_columns(const pq_result *result);
const char *pq_value(const pq_result *result, int row, int column);
int pq_length(const pq_result *result, int row, int column);
int pq_isNull(const pq_result *result, int row, int column);
void pq_clear(pq_result *result);

#endif
