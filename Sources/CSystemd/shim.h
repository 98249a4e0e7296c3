// libsystemd: readiness notification and the native journal protocol.
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
