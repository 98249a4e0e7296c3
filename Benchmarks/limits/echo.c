// The limit for control calls: an epoll echo on a Unix socket, and the client that measures it and Baton alike.
// usage: echo server PATH | echo client PATH CONNECTIONS SECONDS MESSAGE   (a NUL is added to the message)
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what) {
  perror(what);
  exit(1);
}

static long long now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static struct sockaddr_un address(const char *path) {
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  strncpy(a.sun_path, path, sizeof a.sun_path - 1);
  return a;
}

static void server(const char *path) {
  struct sockaddr_un a = address(path);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0), poll = epoll_create1(0);
  if (bind(listener, (struct sockaddr *)&a, sizeof a) || listen(listener, 64)) die("listen");
  struct epoll_event e = {.events = EPOLLIN, .data.fd = listener}, ready[64];
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &e);
  puts("ready"), fflush(stdout);
  char buffer[65536];
  for (;;) {
    int count = epoll_wait(poll, ready, 64, -1);
    for (int i = 0; i < count; i++) {
      if (ready[i].data.fd == listener) {
        e.data.fd = accept(listener, NULL, NULL);
        epoll_ctl(poll, EPOLL_CTL_ADD, e.data.fd, &e);
        continue;
      }
      ssize_t n = read(ready[i].data.fd, buffer, sizeof buffer);
      if (n <= 0) close(ready[i].data.fd);
      else if (write(ready[i].data.fd, buffer, n) != n) close(ready[i].data.fd);
    }
  }
}

static int compare(const void *a, const void *b) {
  long long x = *(const long long *)a, y = *(const long long *)b;
  return x < y ? -1 : x > y;
}

static int client(const char *path, int connections, double seconds, const char *message) {
  struct sockaddr_un a = address(path);
  size_t length = strlen(message) + 1;
  int poll = epoll_create1(0), *fds = calloc(connections, sizeof *fds);
  long long *sent = calloc(65536, sizeof *sent), *samples = malloc(sizeof *samples * 20000000), count = 0;
  for (int i = 0; i < connections; i++) {
    fds[i] = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fds[i], (struct sockaddr *)&a, sizeof a)) die("connect");
    struct epoll_event e = {.events = EPOLLIN, .data.fd = fds[i]};
    epoll_ctl(poll, EPOLL_CTL_ADD, fds[i], &e);
  }
  long long start = now_ns(), end = start + (long long)(seconds * 1e9);
  for (int i = 0; i < connections; i++) {
    sent[fds[i]] = now_ns();
    if (write(fds[i], message, length) != (ssize_t)length) die("write");
  }
  char buffer[65536];
  struct epoll_event ready[64];
  long long finished = start;
  while ((finished = now_ns()) < end && count < 20000000 - 64) {
    int n = epoll_wait(poll, ready, 64, 1000);
    for (int i = 0; i < n; i++) {
      int fd = ready[i].data.fd;
      ssize_t got = read(fd, buffer, sizeof buffer);
      if (got <= 0) die("read");
      if (buffer[got - 1]) continue;
      long long t = now_ns();
      samples[count++] = t - sent[fd];
      sent[fd] = t;
      if (write(fd, message, length) != (ssize_t)length) die("write");
    }
  }
  qsort(samples, count, sizeof *samples, compare);
  printf("%.3f %.3f %.0f\n", samples[count / 2] / 1e3, samples[count * 99 / 100] / 1e3, count / ((finished - start) / 1e9));
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "server")) server(argv[2]);
  if (argc == 6 && !strcmp(argv[1], "client")) return client(argv[2], atoi(argv[3]), atof(argv[4]), argv[5]);
  return 64;
}
