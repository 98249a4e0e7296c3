// Starting programs: functions that glibc (2.34) declares only for programs that ask for its extensions.
#include <spawn.h>
#include <unistd.h>

int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
int pipe2(int descriptors[2], int flags);
