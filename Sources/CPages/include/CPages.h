#ifndef CPAGES_H
#define CPAGES_H

#include <stddef.h>

// One of the files from which the console makes its pages.
struct page_file {
  const char *name;
  // The contents, without the zero byte behind them.
  const char *text;
  size_t count;
};

// The file at `index`, or NULL behind the last one.
const struct page_file *page_file(size_t index);

#endif
