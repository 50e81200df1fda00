#!/bin/sh
# Package:   raven 6.10.0 (PyPI), the older SDK of Sentry for Python
# Input:     exceptions that are raised, caught and reported one after the other, each a new object with its own
#            message.
# Expected:  one report for each exception.
# Behaviour: most are dropped without a word. The client remembers what it reported by `id()` of the exception, its
#            traceback and its frame. CPython gives a new object the address of a freed one, so that a later exception
#            passes for an earlier. While the caller keeps the exceptions, every one is reported.
# Fails if the package behaves otherwise.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check raven==6.10.0
cat >run.py <<'PY'
import sys

import raven
from raven.transport.http import HTTPTransport

sent = []


class Collector(HTTPTransport):
    def send(self, url, data, headers):
        sent.append(data)


def report(count, keep):
    del sent[:]
    client = raven.Client("http://key@127.0.0.1/1", transport=Collector)
    kept = []
    for number in range(count):
        try:
            raise ValueError("number %d" % number)
        except ValueError:
            if keep:
                kept.append(sys.exc_info())
            client.captureException()
    return len(sent)


freed, kept = report(100, False), report(100, True)
print("raven %s, Python %s" % (raven.VERSION, sys.version.split()[0]))
print("100 exceptions, each freed before the next: %d reported" % freed)
print("100 exceptions, all kept: %d reported" % kept)
assert freed < 100 and kept == 100
PY
environment/bin/python run.py
