// Shared by the files of this library.
#ifndef CTLS_INTERNAL_H
#define CTLS_INTERNAL_H

// Copies `message` to `text`, which has room for CTLS_TEXT_BYTES.
void ctls_set_text(char *text, const char *message);
// Copies the library's last error of this thread to `text` and forgets it. Copies `otherwise` when there is none.
void ctls_set_library_text(char *text, const char *otherwise);
// Prepares the library. It may be called any number of times.
void ctls_initialize(void);

#endif
