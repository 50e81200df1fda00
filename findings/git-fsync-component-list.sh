#!/bin/sh
# Program:   git 2.39.5 (Debian 12)
# Input:     `core.fsync=all,-reference`, as one writes it to sync everything but refs; `git update-ref` of one ref.
# Expected:  no sync, because the later entry takes `reference` out of `all`. In either order, at least.
# Behaviour: the ref is synced as with `all`. git collects the entries with and without a minus apart, takes the
#            latter from its default set, and then adds the former. So a minus has no effect on what `all`, or a set
#            like `committed`, adds. What works is the list of wanted components, or `-reference` alone.
# Fails if the machine's git behaves otherwise. git itself counts the syncs in its trace.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git init -q .
git -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m first
git --version
for setting in all all,-reference -reference,all committed,-reference -reference objects; do
  GIT_TRACE2_EVENT="$directory/trace" git -c "core.fsync=$setting" update-ref "refs/heads/of$setting" HEAD
  flushes=$(sed -n 's|.*fsync/hardware-flush","value":"\([0-9]*\)".*|\1|p' trace)
  rm trace
  echo "core.fsync=$setting: ${flushes:-0} syncs"
  case $setting in
  -reference | objects) test "${flushes:-0}" = 0 ;;
  *) test "$flushes" = 1 ;;
  esac
done
