#!/bin/sh
# Prints what is unread in all channels, and marks it as read. It prints nothing if nothing is unread, so cron sends no empty mails.
#
#   digest.sh [--keep]   --keep leaves everything unread
set -eu

# The largest number of messages of one channel.
most=100

keep=no
case "$#${1-}" in
0) ;;
1--keep) keep=yes ;;
*) echo 'usage: digest.sh [--keep]' >&2; exit 64 ;;
esac

channels=$(batonctl inbox --unread -o name)
[ -n "$channels" ] || exit 0
batonctl inbox --unread
for channel in $channels; do
  # The message that arrived last so far: what comes while the others are printed stays unread.
  last=$(batonctl messages "$channel" --limit "$most" -o name | sed 's/^id://' | sort -n | tail -n 1)
  echo
  batonctl messages "$channel" --limit "$most"
  [ "$keep" = yes ] || batonctl messages mark-read "$channel" --through "$last" --quiet
done
