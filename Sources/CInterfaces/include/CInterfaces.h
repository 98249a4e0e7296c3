#ifndef CINTERFACES_H
#define CINTERFACES_H

#include <stddef.h>

// One of the files that define the control interfaces.
struct interface_file {
  const char *name;
  // The contents, without the zero byte behind them.
  const char *text;
  size_t count;
};

// The file at `index`, or NULL behind the last one.
const struct interface_file *interface_file(size_t index);

#endif
