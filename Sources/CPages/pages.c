#include "CPages.h"

// The compiler reads these files when it builds this one. As arrays of numbers in Swift they would take it half a minute.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char console_css[] = {
#embed "../baton-console/assets/console.css"
    , 0};

static const char console_js[] = {
#embed "../baton-console/assets/console.js"
    , 0};

static const char icon_svg[] = {
#embed "../baton-console/assets/icon.svg"
    , 0};

static const char image_js[] = {
#embed "../baton-console/assets/image.js"
    , 0};

static const char live_js[] = {
#embed "../baton-console/assets/live.js"
    , 0};

static const char refresh_js[] = {
#embed "../baton-console/assets/refresh.js"
    , 0};

static const char session_js[] = {
#embed "../baton-console/assets/session.js"
    , 0};

static const char times_js[] = {
#embed "../baton-console/assets/times.js"
    , 0};

static const char io_systemd_metrics_varlink[] = {
#embed "../baton-console/interfaces/io.systemd.Metrics.varlink"
    , 0};

static const char channel_add_mustache[] = {
#embed "../baton-console/templates/channel-add.mustache"
    , 0};

static const char channel_confirm_mustache[] = {
#embed "../baton-console/templates/channel-confirm.mustache"
    , 0};

static const char channel_edit_mustache[] = {
#embed "../baton-console/templates/channel-edit.mustache"
    , 0};

static const char channel_image_mustache[] = {
#embed "../baton-console/templates/channel-image.mustache"
    , 0};

static const char channel_link_mustache[] = {
#embed "../baton-console/templates/channel-link.mustache"
    , 0};

static const char channel_new_mustache[] = {
#embed "../baton-console/templates/channel-new.mustache"
    , 0};

static const char channel_progress_mustache[] = {
#embed "../baton-console/templates/channel-progress.mustache"
    , 0};

static const char channel_relays_mustache[] = {
#embed "../baton-console/templates/channel-relays.mustache"
    , 0};

static const char channel_remove_mustache[] = {
#embed "../baton-console/templates/channel-remove.mustache"
    , 0};

static const char channel_mustache[] = {
#embed "../baton-console/templates/channel.mustache"
    , 0};

static const char channels_mustache[] = {
#embed "../baton-console/templates/channels.mustache"
    , 0};

static const char conversation_mustache[] = {
#embed "../baton-console/templates/conversation.mustache"
    , 0};

static const char daemon_mustache[] = {
#embed "../baton-console/templates/daemon.mustache"
    , 0};

static const char failure_mustache[] = {
#embed "../baton-console/templates/failure.mustache"
    , 0};

static const char finding_mustache[] = {
#embed "../baton-console/templates/finding.mustache"
    , 0};

static const char health_line_mustache[] = {
#embed "../baton-console/templates/health-line.mustache"
    , 0};

static const char health_mustache[] = {
#embed "../baton-console/templates/health.mustache"
    , 0};

static const char history_mustache[] = {
#embed "../baton-console/templates/history.mustache"
    , 0};

static const char layout_mustache[] = {
#embed "../baton-console/templates/layout.mustache"
    , 0};

static const char login_mustache[] = {
#embed "../baton-console/templates/login.mustache"
    , 0};

static const char operators_mustache[] = {
#embed "../baton-console/templates/operators.mustache"
    , 0};

static const char overview_mustache[] = {
#embed "../baton-console/templates/overview.mustache"
    , 0};

static const char pager_mustache[] = {
#embed "../baton-console/templates/pager.mustache"
    , 0};

static const char relay_mustache[] = {
#embed "../baton-console/templates/relay.mustache"
    , 0};

static const char relays_mustache[] = {
#embed "../baton-console/templates/relays.mustache"
    , 0};

static const char servers_mustache[] = {
#embed "../baton-console/templates/servers.mustache"
    , 0};

static const char sessions_mustache[] = {
#embed "../baton-console/templates/sessions.mustache"
    , 0};

static const char status_mustache[] = {
#embed "../baton-console/templates/status.mustache"
    , 0};

static const char step_mustache[] = {
#embed "../baton-console/templates/step.mustache"
    , 0};

static const char test_mustache[] = {
#embed "../baton-console/templates/test.mustache"
    , 0};

static const char time_mustache[] = {
#embed "../baton-console/templates/time.mustache"
    , 0};

static const char transition_mustache[] = {
#embed "../baton-console/templates/transition.mustache"
    , 0};

static const char verdict_mustache[] = {
#embed "../baton-console/templates/verdict.mustache"
    , 0};

static const struct page_file files[] = {
    {"assets/console.css", console_css, sizeof console_css - 1},
    {"assets/console.js", console_js, sizeof console_js - 1},
    {"assets/icon.svg", icon_svg, sizeof icon_svg - 1},
    {"assets/image.js", image_js, sizeof image_js - 1},
    {"assets/live.js", live_js, sizeof live_js - 1},
    {"assets/refresh.js", refresh_js, sizeof refresh_js - 1},
    {"assets/session.js", session_js, sizeof session_js - 1},
    {"assets/times.js", times_js, sizeof times_js - 1},
    {"interfaces/io.systemd.Metrics.varlink", io_systemd_metrics_varlink, sizeof io_systemd_metrics_varlink - 1},
    {"templates/channel-add.mustache", channel_add_mustache, sizeof channel_add_mustache - 1},
    {"templates/channel-confirm.mustache", channel_confirm_mustache, sizeof channel_confirm_mustache - 1},
    {"templates/channel-edit.mustache", channel_edit_mustache, sizeof channel_edit_mustache - 1},
    {"templates/channel-image.mustache", channel_image_mustache, sizeof channel_image_mustache - 1},
    {"templates/channel-link.mustache", channel_link_mustache, sizeof channel_link_mustache - 1},
    {"templates/channel-new.mustache", channel_new_mustache, sizeof channel_new_mustache - 1},
    {"templates/channel-progress.mustache", channel_progress_mustache, sizeof channel_progress_mustache - 1},
    {"templates/channel-relays.mustache", channel_relays_mustache, sizeof channel_relays_mustache - 1},
    {"templates/channel-remove.mustache", channel_remove_mustache, sizeof channel_remove_mustache - 1},
    {"templates/channel.mustache", channel_mustache, sizeof channel_mustache - 1},
    {"templates/channels.mustache", channels_mustache, sizeof channels_mustache - 1},
    {"templates/conversation.mustache", conversation_mustache, sizeof conversation_mustache - 1},
    {"templates/daemon.mustache", daemon_mustache, sizeof daemon_mustache - 1},
    {"templates/failure.mustache", failure_mustache, sizeof failure_mustache - 1},
    {"templates/finding.mustache", finding_mustache, sizeof finding_mustache - 1},
    {"templates/health-line.mustache", health_line_mustache, sizeof health_line_mustache - 1},
    {"templates/health.mustache", health_mustache, sizeof health_mustache - 1},
    {"templates/history.mustache", history_mustache, sizeof history_mustache - 1},
    {"templates/layout.mustache", layout_mustache, sizeof layout_mustache - 1},
    {"templates/login.mustache", login_mustache, sizeof login_mustache - 1},
    {"templates/operators.mustache", operators_mustache, sizeof operators_mustache - 1},
    {"templates/overview.mustache", overview_mustache, sizeof overview_mustache - 1},
    {"templates/pager.mustache", pager_mustache, sizeof pager_mustache - 1},
    {"templates/relay.mustache", relay_mustache, sizeof relay_mustache - 1},
    {"templates/relays.mustache", relays_mustache, sizeof relays_mustache - 1},
    {"templates/servers.mustache", servers_mustache, sizeof servers_mustache - 1},
    {"templates/sessions.mustache", sessions_mustache, sizeof sessions_mustache - 1},
    {"templates/status.mustache", status_mustache, sizeof status_mustache - 1},
    {"templates/step.mustache", step_mustache, sizeof step_mustache - 1},
    {"templates/test.mustache", test_mustache, sizeof test_mustache - 1},
    {"templates/time.mustache", time_mustache, sizeof time_mustache - 1},
    {"templates/transition.mustache", transition_mustache, sizeof transition_mustache - 1},
    {"templates/verdict.mustache", verdict_mustache, sizeof verdict_mustache - 1},
};

const struct page_file *page_file(size_t index) {
  return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
