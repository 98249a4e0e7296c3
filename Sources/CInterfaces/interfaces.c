#include "CInterfaces.h"

// The compiler reads these files when it builds this one. As arrays of numbers in Swift they would take it half a minute.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char io_systemd_service[] = {
#embed "../ControlAPI/interfaces/io.systemd.service.varlink"
    , 0};

static const char org_batond_channels[] = {
#embed "../ControlAPI/interfaces/org.batond.Channels.varlink"
    , 0};

static const char org_batond_daemon[] = {
#embed "../ControlAPI/interfaces/org.batond.Daemon.varlink"
    , 0};

static const char org_batond_identities[] = {
#embed "../ControlAPI/interfaces/org.batond.Identities.varlink"
    , 0};

static const char org_batond_members[] = {
#embed "../ControlAPI/interfaces/org.batond.Members.varlink"
    , 0};

static const char org_batond_messages[] = {
#embed "../ControlAPI/interfaces/org.batond.Messages.varlink"
    , 0};

static const char org_batond_monitor[] = {
#embed "../ControlAPI/interfaces/org.batond.Monitor.varlink"
    , 0};

static const char org_batond_operators[] = {
#embed "../ControlAPI/interfaces/org.batond.Operators.varlink"
    , 0};

static const char org_batond_people[] = {
#embed "../ControlAPI/interfaces/org.batond.People.varlink"
    , 0};

static const char org_batond_posts[] = {
#embed "../ControlAPI/interfaces/org.batond.Posts.varlink"
    , 0};

static const char org_batond_relays[] = {
#embed "../ControlAPI/interfaces/org.batond.Relays.varlink"
    , 0};

static const char org_batond_servers[] = {
#embed "../ControlAPI/interfaces/org.batond.Servers.varlink"
    , 0};

static const struct interface_file files[] = {
    {"io.systemd.service", io_systemd_service, sizeof io_systemd_service - 1},
    {"org.batond.Channels", org_batond_channels, sizeof org_batond_channels - 1},
    {"org.batond.Daemon", org_batond_daemon, sizeof org_batond_daemon - 1},
    {"org.batond.Identities", org_batond_identities, sizeof org_batond_identities - 1},
    {"org.batond.Members", org_batond_members, sizeof org_batond_members - 1},
    {"org.batond.Messages", org_batond_messages, sizeof org_batond_messages - 1},
    {"org.batond.Monitor", org_batond_monitor, sizeof org_batond_monitor - 1},
    {"org.batond.Operators", org_batond_operators, sizeof org_batond_operators - 1},
    {"org.batond.People", org_batond_people, sizeof org_batond_people - 1},
    {"org.batond.Posts", org_batond_posts, sizeof org_batond_posts - 1},
    {"org.batond.Relays", org_batond_relays, sizeof org_batond_relays - 1},
    {"org.batond.Servers", org_batond_servers, sizeof org_batond_servers - 1},
};

const struct interface_file *interface_file(size_t index) {
  return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
