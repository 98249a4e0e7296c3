// Preloaded into a program, this says when the libraries of a process clean up because it ends.
#include <unistd.h>

__attribute__((destructor)) static void end(void) {
  static const char text[] = "the exit handlers run\n";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
}
