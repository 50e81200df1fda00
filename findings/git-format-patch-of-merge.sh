#!/bin/sh
# Program:   git 2.39.5 (Debian 12)
# Input:     a merge commit whose second parent is one commit ahead of the merge base: `git format-patch -1 --stdout
#            MERGE`.
# Expected:  the patch of this commit, or none, because a merge has no patch of one parent.
# Behaviour: the patch of another commit, the newest that is no merge and that MERGE contains, with exit code 0. The
#            option -1 counts after merges are left out. `git log -1 -p MERGE` does name the merge. So `format-patch
#            -1 ID` is no way to get the patch of a commit that a user names.
# Fails if the machine's git behaves otherwise.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com
git init -q -b main .
commit() {
  echo "$1" >"$1.txt"
  git add .
  GIT_AUTHOR_DATE="$2" GIT_COMMITTER_DATE="$2" git commit -q -m "$1"
}
commit base 2026-01-01T00:00:00Z
git checkout -q -b feature
commit feature 2026-01-02T00:00:00Z
git checkout -q main
commit trunk 2026-01-03T00:00:00Z
GIT_AUTHOR_DATE=2026-01-04T00:00:00Z GIT_COMMITTER_DATE=2026-01-04T00:00:00Z git merge -q --no-ff -m merge feature
git --version
echo "log -1: $(git log -1 --format=%s main)"
git format-patch -1 --stdout main >patch
echo "format-patch -1: $(grep ^Subject: patch)"
test "$(git log -1 --format=%s main)" = merge
test "$(head -n 1 patch | cut -d' ' -f2)" = "$(git rev-parse main^1)"
