#!/bin/sh
# Package:   @sentry/node 11.12.0 (npm), beside 10.78.0
# Input:     `captureMessage('disk full')`, without an error.
# Expected:  an event with `message` and no exception, as 10.78.0 sends it.
# Behaviour: 11.12.0 adds an exception entry whose `value` is the message, with a stack trace and
#            `mechanism.synthetic`, but without a `type`. A receiver that tells messages from errors by `exception`,
#            or that titles and groups errors by type and stack, takes every message of one function for one error
#            without a name.
# Fails if one of the packages behaves otherwise.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
cat >run.cjs <<'JS'
const assert = require('node:assert/strict');
const [version, expected] = process.argv.slice(2);
const sentry = require('@sentry/node');
let event;
sentry.init({
  dsn: 'http://key@127.0.0.1:9/1',
  beforeSend(sent) {
    event = sent;
    return null;
  },
});
sentry.captureMessage('disk full');
sentry.flush(2000).then(() => {
  assert.equal(sentry.SDK_VERSION, version);
  const entries = event.exception?.values.map(({ stacktrace, ...rest }) => ({ ...rest, frames: stacktrace.frames.length > 0 }));
  const summary = JSON.stringify({ message: event.message, exception: entries });
  console.log(`@sentry/node ${version}: ${summary}`);
  assert.equal(summary, expected);
});
JS
for version in 10.78.0 11.12.0; do
  mkdir "$version"
  cd "$version"
  npm init -y >npm.log
  npm install --no-audit --no-fund --ignore-scripts "@sentry/node@$version" >>npm.log
  cp ../run.cjs .
  case $version in
  10.*) expected='{"message":"disk full"}' ;;
  *) expected='{"message":"disk full","exception":[{"value":"disk full","mechanism":{"type":"generic","handled":true,"synthetic":true},"frames":true}]}' ;;
  esac
  node run.cjs "$version" "$expected"
  cd ..
done
