#!/bin/sh
# Package:   python-gitlab 8.6.0 (PyPI)
# Input:     lists as values of filters: `iids`, `labels`, `assignee_username`, and `labels` inside `not`.
# Expected:  every list is sent in the form that the API documents for lists, `name[]=a&name[]=b`.
# Behaviour: there are three forms, by the filter. `iids` gets brackets; `labels` becomes one text with commas; each
#            other list, also inside `not`, repeats its name without brackets. A server that reads parameters as Rack
#            or PHP do keeps only the last value: `not={"labels": ["a", "b"]}` excludes b alone, and the caller gets
#            what they excluded.
# Fails if the package behaves otherwise.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check python-gitlab==8.6.0
cat >run.py <<'PY'
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from urllib.parse import unquote

import gitlab

queries = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        queries.append(unquote(self.path.partition("?")[2]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, *arguments):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
Thread(target=server.serve_forever, daemon=True).start()
client = gitlab.Gitlab("http://127.0.0.1:%d" % server.server_port, private_token="token")
issues = client.projects.get(1, lazy=True).issues
for filters in ({"iids": [1, 2]}, {"labels": ["a", "b"]}, {"assignee_username": ["a", "b"]}, {"not": {"labels": ["a", "b"]}}):
    issues.list(get_all=False, **filters)
    print(filters, "->", queries[-1])
server.shutdown()
print("python-gitlab", gitlab.__version__)
assert queries == [
    "iids[]=1&iids[]=2",
    "labels=a,b",
    "assignee_username=a&assignee_username=b",
    "not[labels]=a&not[labels]=b",
], queries
PY
environment/bin/python run.py
