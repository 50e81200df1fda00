"""Drives a Hearth server with python-gitlab as a user would: one line a step."""
import base64
import datetime
import os
import subprocess
import sys
import tempfile
import time

import gitlab
import requests

url, token = os.environ["HEARTH"], os.environ["TOKEN"]
gl = gitlab.Gitlab(url, private_token=token, per_page=5)
failed = 0


def step(name, work):
    global failed
    try:
        work()
        print(f"ok {name}", flush=True)
    except Exception as error:  # every failure is a line, and the next step is tried
        failed += 1
        print(f"not ok {name}: {type(error).__name__}: {error}", flush=True)


def refused(work, status, text=None):
    try:
        work()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, (error.response_code, error.error_message)
        assert text is None or text in str(error.error_message), error.error_message
    else:
        raise AssertionError(f"not refused with {status}")


def wait_until(done):
    for _ in range(40):
        if done():
            return
        time.sleep(0.25)
    raise AssertionError("it never came")


def sign_in():
    gl.auth()
    assert gl.user.username == "root"
    assert gl.version()[0].startswith("18.")
    refused(lambda: gitlab.Gitlab(url, private_token="wrong").auth(), 401)


def groups():
    global group, sub
    group = gl.groups.create({"name": "Client", "path": "client"})
    sub = gl.groups.create({"name": "Sub", "path": "sub", "parent_id": group.id})
    assert gl.groups.get("client/sub").full_path == "client/sub"
    group.description = "ours"
    group.save()
    assert [g.path for g in group.subgroups.list(all=True)] == ["sub"]
    refused(lambda: gl.groups.create({"name": "Client", "path": "client"}), 400, "has already been taken")


def projects():
    global project
    project = gl.projects.create({"name": "Demo", "namespace_id": sub.id, "initialize_with_readme": True})
    assert project.path_with_namespace == "client/sub/demo"
    for number in range(12):
        gl.projects.create({"name": f"p{number}", "namespace_id": sub.id})
    assert len(gl.projects.list(all=True)) == 13
    assert len(list(gl.projects.list(iterator=True, pagination="keyset", order_by="id"))) == 13
    project.description = "text"
    project.save()
    assert gl.projects.get("client/sub/demo").description == "text"
    refused(lambda: gl.projects.get("client/nothing"), 404, "404 Project Not Found")


def members():
    user = gl.users.create({"name": "Mira", "username": "mira", "email": "mira@hearth.test", "password": "a-fine-secret-9"})
    member = project.members.create({"user_id": user.id, "access_level": gitlab.const.DEVELOPER_ACCESS})
    member.access_level = gitlab.const.MAINTAINER_ACCESS
    member.save()
    assert user.id in [m.id for m in project.members_all.list(all=True)]
    refused(lambda: project.members.create({"user_id": user.id, "access_level": 30}), 409, "Member already exists")
    project.members.delete(user.id)


def files():
    project.files.create({"file_path": "lib/a.txt", "branch": "main", "content": "one\ntwo\n", "commit_message": "Add"})
    file = project.files.get(file_path="lib/a.txt", ref="main")
    assert file.decode() == b"one\ntwo\n"
    file.content = "one\nTWO\n"
    file.save(branch="main", commit_message="Louder")
    assert project.files.raw(file_path="lib/a.txt", ref="main") == b"one\nTWO\n"
    assert [r["lines"] for r in project.files.blame(file_path="lib/a.txt", ref="main")] == [["one"], ["TWO"]]
    body = {"file_path": "lib/a.txt", "branch": "main", "content": "x", "commit_message": "Again"}
    refused(lambda: project.files.create(body), 400, "A file with this name already exists")
    project.files.create({"file_path": "bin/x", "branch": "main", "encoding": "base64",
                          "content": base64.b64encode(bytes(range(256))).decode(), "commit_message": "Bytes"})
    project.files.delete(file_path="bin/x", branch="main", commit_message="Away")
    refused(lambda: project.files.get(file_path="bin/x", ref="main"), 404, "404 File Not Found")


def commits():
    commit = project.commits.create({"branch": "main", "commit_message": "Two at once", "actions": [
        {"action": "create", "file_path": "b.txt", "content": "b"},
        {"action": "move", "file_path": "c.txt", "previous_path": "lib/a.txt"}]})
    assert commit.stats["total"] >= 1
    assert project.commits.list(all=True)[0].id == commit.id
    assert {d["new_path"] for d in commit.diff()} == {"b.txt", "c.txt"}
    assert project.commits.get(commit.id).title == "Two at once"
    assert commit.refs()[0]["name"] == "main"


def branches():
    for number in range(7):
        project.branches.create({"branch": f"feature/{number}", "ref": "main"})
    assert len(project.branches.list(all=True)) == 8
    assert len(project.branches.list(search="^feature", all=True)) == 7
    refused(lambda: project.branches.create({"branch": "feature/1", "ref": "main"}), 400, "Branch already exists")
    project.branches.get("feature/1").delete()
    refused(lambda: project.branches.get("feature/1"), 404, "404 Branch Not Found")
    rule = project.protectedbranches.create({"name": "*-stable", "merge_access_level": 30})
    assert rule.push_access_levels[0]["access_level"] == 40
    refused(lambda: project.protectedbranches.create({"name": "*-stable"}), 409)
    project.protectedbranches.get("*-stable").delete()
    project.delete_merged_branches()


def tags():
    tag = project.tags.create({"tag_name": "v1", "ref": "main", "message": "First"})
    assert tag.message == "First"
    assert [t.name for t in project.tags.list(all=True)] == ["v1"]
    project.tags.get("v1").delete()


def variables():
    variable = project.variables.create({"key": "DEPLOY_KEY", "value": "s3cr3t-pass", "masked": True})
    assert variable.masked and variable.environment_scope == "*"
    variable.value = "another-pass"
    variable.save()
    assert [v.value for v in project.variables.list(all=True)] == ["another-pass"]
    project.variables.create({"key": "DEPLOY_KEY", "value": "x", "environment_scope": "review/*"})
    scoped = {"environment_scope": "review/*"}
    assert project.variables.get("DEPLOY_KEY", filter=scoped).value == "x"
    refused(lambda: project.variables.get("DEPLOY_KEY"), 409, "There are multiple variables")
    project.variables.delete("DEPLOY_KEY", filter=scoped)
    project.variables.get("DEPLOY_KEY").delete()
    gl.variables.create({"key": "EVERYWHERE", "value": "x"}).delete()
    group.variables.create({"key": "BELOW", "value": "x"}).delete()


def repository():
    names = [entry["name"] for entry in project.repository_tree(all=True)]
    assert "b.txt" in names, names
    blob = next(e for e in project.repository_tree(all=True) if e["name"] == "b.txt")
    assert project.repository_raw_blob(blob["id"]) == b"b"
    assert base64.b64decode(project.repository_blob(blob["id"])["content"]) == b"b"
    assert project.repository_archive(format="tar.gz")[:2] == b"\x1f\x8b"
    compared = project.repository_compare("main~1", "main")
    assert len(compared["commits"]) == 1
    assert project.repository_merge_base(["main", "feature/2"])["id"]
    assert project.repository_contributors()[0]["commits"] >= 1


def moving():
    old = project.path_with_namespace
    project.path = "moved"
    project.save()
    assert gl.projects.get(old).id == project.id
    refused(lambda: gl.http_post(f"/projects/{old.replace('/', '%2F')}/archive"), 405)
    project.archive()
    project.unarchive()


def tokens_and_settings():
    user = gl.users.list(username="mira")[0]
    token = user.personal_access_tokens.create({"name": "ci", "scopes": ["read_api"]})
    reader = gitlab.Gitlab(url, private_token=token.token)
    assert reader.user is None
    assert reader.http_get("/personal_access_tokens/self")["name"] == "ci"
    refused(lambda: reader.projects.create({"name": "no"}), 403, "insufficient_scope")
    gl.personal_access_tokens.delete(token.id)
    refused(lambda: reader.projects.list(), 401)
    settings = gl.settings.get()
    settings.push_event_activities_limit = 4
    settings.save()
    assert gl.settings.get().push_event_activities_limit == 4
    gl.features.set("generic_alert_fingerprinting", True)
    assert gl.features.list()[0].name == "generic_alert_fingerprinting"


def oauth():
    grant = {"grant_type": "password", "username": "root", "password": os.environ["PASSWORD"], "scope": "api"}
    pair = requests.post(f"{url}/oauth/token", data=grant).json()
    other = gitlab.Gitlab(url, oauth_token=pair["access_token"])
    other.auth()
    assert other.user.username == "root"
    renewed = requests.post(
        f"{url}/oauth/token", data={"grant_type": "refresh_token", "refresh_token": pair["refresh_token"]}
    ).json()
    refused(other.auth, 401)
    assert gitlab.Gitlab(url, oauth_token=renewed["access_token"]).projects.list(owned=True) is not None
    app = gl.applications.create({"name": "bot", "redirect_uri": "https://app.test/cb", "scopes": "api"})
    assert app.secret.startswith("gloas-")
    app.delete()
    assert gl.applications.list() == []


def bots_and_impersonation():
    day = (datetime.date.today() + datetime.timedelta(days=30)).isoformat()
    for place in [project, group]:
        order = {"name": "bot", "scopes": ["api"], "access_level": 30, "expires_at": day}
        token = place.access_tokens.create(order)
        bot = gitlab.Gitlab(url, private_token=token.token)
        bot.auth()
        assert bot.user.bot
        assert place.access_tokens.list()[0].id == token.id
        assert bot.projects.get(project.id).id == project.id
        token.delete()
        refused(bot.auth, 401)
    user = gl.users.list(username="mira")[0]
    acting = user.impersonationtokens.create({"name": "support", "scopes": ["api"], "expires_at": day})
    assert gitlab.Gitlab(url, private_token=acting.token).http_get("/user")["username"] == "mira"
    acting.delete()
    assert gl.http_get("/user", sudo="mira")["username"] == "mira"


def addresses():
    user = gl.users.list(username="mira")[0]
    second = user.emails.create({"email": "second@hearth.test", "skip_confirmation": True})
    assert second.email in [e.email for e in user.emails.list()]
    second.delete()
    gl.auth()
    own = gl.user.emails.create({"email": "root-too@hearth.test"})
    assert own.confirmed_at is None
    own.delete()


def labels():
    for place in [group, project]:
        label = place.labels.create({"name": "to do: now", "color": "red", "description": "Soon"})
        assert (label.color, label.text_color) == ("#FF0000", "#FFFFFF")
        label.description = "Later"
        label.new_name = f"later {place.id}"
        label.save()
        assert f"later {place.id}" in [lb.name for lb in place.labels.list(search="LATER")]
        refused(lambda: place.labels.create({"name": f"later {place.id}", "color": "red"}), 409, "Label already exists")
        refused(lambda: place.labels.create({"name": "x", "color": "none"}), 400, "must be a valid color code")
    assert len(project.labels.list(all=True)) == 2
    assert len(project.labels.list(include_ancestor_groups=False)) == 1
    assert project.labels.get(f"later {group.id}").is_project_label is False
    project.labels.delete(f"later {project.id}")
    refused(lambda: project.labels.get(f"later {project.id}"), 404, "404 Label Not Found")


def milestones():
    for place in [group, project]:
        for title in ["one", "two"]:
            day = "2099-02-01" if title == "one" else None
            place.milestones.create({"title": f"{title} {place.id}", "due_date": day})
        first = place.milestones.list()[0]
        assert (first.title, first.iid, first.expired) == (f"one {place.id}", 1, False)
        first.state_event = "close"
        first.save()
        assert [m.title for m in place.milestones.list(state="active")] == [f"two {place.id}"]
        taken = "already being used for another group or project milestone."
        refused(lambda: place.milestones.create({"title": f"one {group.id}"}), 400, taken)
    assert len(project.milestones.list(include_ancestors=True, all=True)) == 4
    milestone = project.milestones.get(project.milestones.list(title=f"two {project.id}")[0].id)
    milestone.delete()
    refused(lambda: project.milestones.get(milestone.id), 404, "404 Not found")


def issues():
    user = gl.users.list(username="mira")[0]
    project.members.create({"user_id": user.id, "access_level": 30})
    milestone = project.milestones.create({"title": "for issues"})
    issue = project.issues.create({"title": "Broken", "description": "- [x] one\n- [ ] two", "labels": ["bug", "new"],
                                   "milestone_id": milestone.id, "assignee_ids": [user.id], "due_date": "2099-01-01"})
    assert (issue.iid, issue.labels, issue.milestone["id"]) == (1, ["bug", "new"], milestone.id)
    assert issue.task_completion_status == {"count": 2, "completed_count": 1}
    issue.labels = ["bug"]
    issue.state_event = "close"
    issue.save()
    assert (issue.state, issue.labels) == ("closed", ["bug"])
    for number in range(7):
        project.issues.create({"title": f"Number {number}", "labels": "bug" if number % 2 else ""})
    assert len(project.issues.list(labels=["bug"], state="opened", all=True)) == 3
    assert [i.title for i in gl.issues.list(search="number 6", scope="all")] == ["Number 6"]
    assert len(group.issues.list(all=True)) == 8
    assert project.issues_statistics.get().statistics["counts"] == {"all": 8, "closed": 1, "opened": 7}
    assert [i.iid for i in milestone.issues()] == [1]
    assert issue.time_estimate("3h30m")["human_time_estimate"] == "3h 30m"
    assert issue.add_spent_time("1d")["total_time_spent"] == 28800
    issue.unsubscribe()
    issue.subscribe()
    assert {p["username"] for p in issue.participants()} == {"root", "mira"}
    refused(lambda: project.issues.create({"title": ""}), 400, "can't be blank")
    refused(lambda: project.issues.get(99), 404, "404 Not found")
    counted = next(lb for lb in project.labels.list(with_counts=True, all=True) if lb.name == "bug")
    assert (counted.open_issues_count, counted.closed_issues_count) == (3, 1)


def merging():
    issue = project.issues.create({"title": "To be fixed"})
    action = {"action": "create", "file_path": "fix.txt", "content": "x"}
    commit = {"branch": "fix", "start_branch": "main", "commit_message": "Fix", "actions": [action]}
    project.commits.create(commit)
    mr = project.mergerequests.create({"title": "Fix it", "source_branch": "fix", "target_branch": "main",
                                       "description": f"Closes #{issue.iid}", "remove_source_branch": True})
    assert [c.title for c in mr.commits()] == ["Fix"]
    assert [c["new_path"] for c in mr.changes()["changes"]] == ["fix.txt"]
    assert project.commits.get(mr.merge_ref()["commit_id"]).parent_ids[1] == mr.sha
    mr.merge(merge_commit_message="Bring it in")
    assert (mr.state, project.branches.get("main").commit["title"]) == ("merged", "Bring it in")
    refused(lambda: project.branches.get("fix"), 404, "404 Branch Not Found")
    refused(lambda: mr.merge(), 405, "405 Method Not Allowed")
    refused(lambda: project.mergerequests.get(99).merge(), 404, "404 Not found")
    issue.delete()


def rebasing():
    action = {"action": "create", "file_path": "aside.txt", "content": "x"}
    commit = {"branch": "aside", "start_branch": "main", "commit_message": "Aside", "actions": [action]}
    project.commits.create(commit)
    mr = project.mergerequests.create({"title": "Draft: Aside", "source_branch": "aside", "target_branch": "main"})
    version = mr.diffs.list()[0]
    assert [d["new_path"] for d in mr.diffs.get(version.id).diffs] == ["aside.txt"]
    mr.time_estimate("3h30m")
    mr.add_spent_time("1h")
    assert project.mergerequests.get(mr.iid).time_stats()["human_total_time_spent"] == "1h"
    mr.reset_spent_time()
    mr.unsubscribe()
    mr.subscribe()
    assert list(mr.closes_issues()) == []
    refused(lambda: mr.approve(), 401)
    assert mr.approvals.get().approved_by == []
    main = {"action": "create", "file_path": "ahead.txt", "content": "x"}
    tip = project.commits.create({"branch": "main", "commit_message": "Ahead", "actions": [main]}).id
    assert mr.rebase(skip_ci=True)["rebase_in_progress"]
    done = lambda: not project.mergerequests.get(mr.iid, include_rebase_in_progress=True).rebase_in_progress
    wait_until(done)
    assert project.commits.get("aside").parent_ids == [tip]
    mr.merge(merge_when_pipeline_succeeds=True)
    assert (mr.state, mr.merge_when_pipeline_succeeds) == ("opened", True)
    mr.cancel_merge_when_pipeline_succeeds()
    refused(lambda: mr.cancel_merge_when_pipeline_succeeds(), 406)
    mr.merge(merge_when_pipeline_succeeds=True)
    mr.title = "Aside"
    mr.save()
    wait_until(lambda: project.mergerequests.get(mr.iid).state == "merged")


def merge_requests():
    project.branches.create({"branch": "asked", "ref": "main"})
    issue = project.issues.create({"title": "To be closed"})
    wish = {"title": "Draft: Ask", "source_branch": "asked", "target_branch": "main", "labels": ["asking"]}
    mr = project.mergerequests.create({**wish, "description": f"Closes #{issue.iid}", "assignee_id": issue.author["id"]})
    assert (mr.state, mr.draft, mr.labels, mr.assignee["username"]) == ("opened", True, ["asking"], "root")
    refused(lambda: project.mergerequests.create(wish), 409, "Another open merge request already exists")
    refused(lambda: project.mergerequests.create({**wish, "source_branch": "main"}), 422, "same project/branch")
    mr.title, mr.discussion_locked = "Ask", True
    mr.save()
    assert project.mergerequests.get(mr.iid).draft is False
    assert [m.iid for m in project.mergerequests.list(state="opened", source_branch="asked")] == [mr.iid]
    assert mr.iid in [m.iid for m in gl.mergerequests.list(scope="all", labels=["asking"])]
    assert {p["username"] for p in mr.participants()} == {"root"}
    for named in (issue.closed_by(), issue.related_merge_requests()):
        assert [m["iid"] for m in named] == [mr.iid]
    mr.state_event = "close"
    mr.save()
    assert (mr.state, mr.closed_by["username"]) == ("closed", "root")
    mr.delete()
    refused(lambda: project.mergerequests.get(mr.iid), 404, "404 Not found")
    issue.delete()


def threads():
    action = {"action": "create", "file_path": "threads.txt", "content": "one\ntwo\n"}
    commit = project.commits.create({"branch": "threads", "start_branch": "main", "commit_message": "Talk", "actions": [action]})
    mr = project.mergerequests.create({"title": "Talk", "source_branch": "threads", "target_branch": "main"})
    mr = project.mergerequests.get(mr.iid)
    position = {**mr.diff_refs, "position_type": "text", "new_path": "threads.txt", "new_line": 2}
    thread = mr.discussions.create({"body": "Why two?", "position": position})
    note = thread.attributes["notes"][0]
    assert (note["type"], note["position"]["new_line"], note["resolved"]) == ("DiffNote", 2, False)
    answer = thread.notes.create({"body": "Because"})
    answer.body = "Why not"
    answer.save()
    assert [n["body"] for n in mr.discussions.get(thread.id).attributes["notes"]] == ["Why two?", "Why not"]
    thread.resolved = True
    thread.save()
    assert [n["resolved"] for n in mr.discussions.get(thread.id).attributes["notes"]] == [True, True]
    assert "resolved all threads" in [n.body for n in mr.notes.list(all=True)]
    refused(lambda: mr.discussions.create({"body": "x", "position": {**position, "new_line": 9}}), 400, "must be a valid line code")
    issue = project.issues.create({"title": "Talked about"})
    issue.notes.create({"body": "Plain"})
    thread = issue.discussions.list()[0]
    assert thread.attributes["individual_note"]
    thread.notes.create({"body": "Answered"}).delete()
    assert len(issue.discussions.get(thread.id).attributes["notes"]) == 1
    refused(lambda: issue.discussions.get("1" * 40), 404, "404 Discussion Not Found")
    commit.comments.create({"note": "Nice", "path": "threads.txt", "line": 1, "line_type": "new"})
    commit.discussions.create({"body": "Indeed"}).notes.create({"body": "Very"})
    told = commit.comments.list(all=True)
    assert [(c.note, c.path, c.line) for c in told] == [("Nice", "threads.txt", 1), ("Indeed", None, None), ("Very", None, None)]
    assert [m["iid"] for m in commit.merge_requests()] == [mr.iid]
    issue.delete()
    mr.delete()


def awards_and_links():
    issue, other = [project.issues.create({"title": t, "labels": ["linked"], "weight": 3}) for t in ("One", "Other")]
    award = issue.awardemojis.create({"name": "+1"})
    assert (award.name, project.issues.get(issue.iid).upvotes) == ("thumbsup", 1)
    refused(lambda: issue.awardemojis.create({"name": "thumbsup"}), 404, "Name has already been taken")
    note = issue.notes.create({"body": "Nice"})
    assert note.awardemojis.create({"name": "rocket"}).awardable_type == "Note"
    award.delete()
    assert issue.awardemojis.list() == []
    source, target = issue.links.create({"target_project_id": project.id, "target_issue_iid": other.iid, "link_type": "blocks"})
    assert (source.iid, target.iid) == (issue.iid, other.iid)
    link = other.links.list()[0]
    assert (link.link_type, project.issues.get(issue.iid).blocking_issues_count) == ("is_blocked_by", 1)
    other.links.delete(link.issue_link_id)
    assert issue.links.list() == []
    event = issue.resourcelabelevents.list()[0]
    assert (event.action, event.label["name"]) == ("add", "linked")
    assert issue.resourcelabelevents.get(event.id).id == event.id
    weights = gl.http_list(f"/projects/{project.id}/issues/{issue.iid}/resource_weight_events")
    assert [e["weight"] for e in weights] == [3]
    label = project.labels.get("linked")
    label.subscribe()
    assert project.labels.get("linked").subscribed
    label.unsubscribe()
    label.promote()
    assert not project.labels.get("linked").is_project_label
    milestone = project.milestones.create({"title": "promoted"})
    milestone.promote()
    assert [m.title for m in sub.milestones.list(search="promoted")] == ["promoted"]
    issue.delete()
    other.delete()


def todos_and_commands():
    issue = project.issues.create({"title": "To do", "description": "Text\n\n/weight 2\n/label ~nobody"})
    assert (issue.weight, issue.description) == (2, "Text")
    issue.todo()
    todo = next(t for t in gl.todos.list(all=True) if t.target["iid"] == issue.iid)
    assert (todo.action_name, todo.state) == ("marked", "pending")
    todo.mark_as_done()
    issue.todo()
    gl.todos.mark_all_as_done()
    assert gl.todos.list() == []
    note = issue.notes.create({"body": "Enough of it\n/close\n/title Done"})
    assert (note.body, note.commands_changes["state_event"]) == ("Enough of it", "close")
    issue = project.issues.get(issue.iid)
    assert (issue.state, issue.title) == ("closed", "Done")
    done = gl.http_post(f"/projects/{project.id}/issues/{issue.iid}/notes", post_data={"body": "/reopen"})
    assert done["summary"] == ["Reopened this issue."]
    issue.delete()


def wikis():
    page = project.wikis.create({"title": "Guides/First steps", "content": "# Hello"})
    assert (page.slug, page.format) == ("Guides/First-steps", "markdown")
    page.content = "# Good day"
    page.save()
    read = project.wikis.get("guides/first-steps", render_html=True)
    assert "Good day</h1>" in read.content
    assert [p.slug for p in project.wikis.list()] == ["Guides/First-steps"]
    clone = tempfile.mkdtemp()
    git = lambda *args: subprocess.run(["git", "-c", "user.name=W", "-c", "user.email=w@x", "-C", clone, *args], check=True, capture_output=True)
    url = gl.url.replace("://", f"://root:{gl.private_token}@")
    git("clone", "-q", f"{url}/{project.path_with_namespace}.wiki.git", "wiki")
    with open(f"{clone}/wiki/pushed.md", "w") as file:
        file.write("Pushed")
    for args in (["add", "-A"], ["commit", "-qm", "Push"], ["push", "-q"]):
        git("-C", "wiki", *args)
    assert project.wikis.get("pushed").content == "Pushed"
    page.delete()
    assert [p.slug for p in project.wikis.list()] == ["pushed"]
    assert sub.wikis.create({"title": "Home", "content": "x"}).slug == "Home"


def epics():
    epic = group.epics.create({"title": "Big", "labels": ["planned"], "start_date_fixed": "2099-01-01"})
    assert (epic.iid, epic.labels, epic.start_date, epic.start_date_is_fixed) == (1, ["planned"], "2099-01-01", True)
    below = group.epics.create({"title": "Small", "parent_id": epic.id})
    assert (below.iid, below.parent_iid) == (2, 1)
    below.state_event = "close"
    below.save()
    assert [e.iid for e in group.epics.list(state="opened", search="BIG", all=True)] == [1]
    # This version knows no histories of epics.
    steps = gl.http_list(f"/groups/{group.id}/epics/{below.id}/resource_state_events", get_all=True)
    assert [e["state"] for e in steps] == ["closed"]
    issues = [project.issues.create({"title": f"Part {number}"}) for number in range(3)]
    for issue in issues:
        epic.issues.create({"issue_id": issue.id})
    listed = epic.issues.list(all=True)
    assert [i.title for i in listed] == ["Part 2", "Part 1", "Part 0"]
    listed[0].move_before_id = listed[2].epic_issue_id
    listed[0].save()
    assert [i.title for i in epic.issues.list(all=True)] == ["Part 1", "Part 0", "Part 2"]
    assert [i.iid for i in project.issues.list(epic_id=epic.id, order_by="created_at", sort="asc")] == [i.iid for i in issues]
    listed[1].delete()
    assert [e["iid"] for e in [i.epic for i in project.issues.list(epic_id="Any", all=True)]] == [1, 1]
    refused(lambda: epic.issues.create({"issue_id": issues[0].id}), 409, "Issue(s) already assigned")
    refused(lambda: group.epics.create({"title": " "}), 400, "can't be blank")
    below.delete()
    refused(lambda: group.epics.get(2), 404, "404 Not found")
    for issue in issues:
        issue.delete()


def iterations():
    rhythm = {"title": "Weeks", "start_date": "2099-01-01", "duration_in_weeks": 2, "iterations_in_advance": 6}
    cadence = gl.http_post(f"/groups/{group.id}/iteration_cadences", post_data=rhythm)
    listed = group.iterations.list(state="upcoming", all=True)
    assert [(i.state, i.sequence, i.title) for i in listed] == [(1, n, None) for n in range(1, 7)]
    # This version asks for a project's iterations among groups.
    path = f"/projects/{project.id}/iterations"
    assert [i["id"] for i in gl.http_list(path, get_all=True)] == [i.id for i in listed]
    assert sub.iterations.list(include_ancestors=False) == []
    assert len(group.iterations.list(search="WEEK", **{"in": ["cadence_title"]}, all=True)) == 6
    issue = project.issues.create({"title": "Planned", "iteration_id": listed[0].id})
    assert issue.iteration["id"] == listed[0].id
    assert [i.iid for i in project.issues.list(iteration_id=listed[0].id)] == [issue.iid]
    issue.delete()
    refused(lambda: group.iterations.list(state="open"), 400, "state does not have a valid value")
    gl.http_delete(f"/groups/{group.id}/iteration_cadences/{cadence['id']}")


def notes():
    issue = project.issues.get(1)
    note = issue.notes.create({"body": "Seen on two hosts"})
    note.body = "Seen on three hosts"
    note.save()
    assert issue.notes.get(note.id).body == "Seen on three hosts"
    assert "Seen on three hosts" in [n.body for n in issue.notes.list(sort="asc", all=True)]
    refused(lambda: issue.notes.create({"body": " "}), 400, "can't be blank")
    note.delete()
    refused(lambda: issue.notes.get(note.id), 404)


def talking():
    mr = project.mergerequests.get(1)
    note = mr.notes.create({"body": "For #1"})
    note.body = "Instead of #1"
    note.save()
    assert (mr.notes.get(note.id).body, note.noteable_type, note.noteable_iid) == ("Instead of #1", "MergeRequest", 1)
    told = [n.body for n in project.issues.get(1).notes.list(activity_filter="only_activity", all=True)]
    assert f"mentioned in merge request {project.path_with_namespace}!1" in told
    assert [e.state for e in mr.resourcestateevents.list()] == ["merged"]
    mr.milestone_id = project.milestones.create({"title": "Told"}).id
    mr.save()
    first = mr.resourcemilestoneevents.list()[0]
    assert (first.action, first.milestone["title"], first.state) == ("add", "Told", "merged")
    merged = project.events.list(action="merged", target_type="merge_request", all=True)
    assert [(e.action_name, e.target_iid) for e in merged] == [("accepted", 1)]
    note.delete()
    epic = group.epics.create({"title": "Talked about"})
    said = epic.notes.create({"body": "Seen"})
    assert (epic.notes.get(said.id).body, said.noteable_type, said.project_id) == ("Seen", "Epic", None)
    said.delete()
    refused(lambda: epic.notes.get(said.id), 404, "404 Not found")
    epic.delete()


def histories():
    issue = project.issues.get(1)
    assert [e.state for e in issue.resourcestateevents.list()] == ["closed"]
    first = issue.resourcemilestoneevents.list()[0]
    assert (first.action, first.milestone["title"]) == ("add", issue.milestone["title"])
    assert issue.resourcemilestoneevents.get(first.id).id == first.id
    closed = project.events.list(action="closed", target_type="issue")
    assert [(e.action_name, e.target_iid, e.target_title) for e in closed] == [("closed", 1, issue.title)]
    issue.notes.create({"body": "Told of"})
    comment = gl.events.list(action="commented", per_page=1, page=1)[0]
    assert (comment.note["body"], comment.note["noteable_iid"]) == ("Told of", 1)
    assert gl.users.get(1, lazy=True).events.list(action="pushed", per_page=1, page=1)[0].push_data["ref"]
    refused(lambda: gl.events.list(action="opened"), 400, "action does not have a valid value")
    issue.delete()
    refused(lambda: project.issues.get(1), 404)


def notifications():
    settings = gl.notificationsettings.get()
    assert settings.level == "participating"
    settings.level = "custom"
    settings.new_note = True
    settings.save()
    assert gl.notificationsettings.get().events["new_note"]
    own = project.notificationsettings.get()
    own.level = "watch"
    own.save()
    assert project.notificationsettings.get().level == "watch"
    shared = group.notificationsettings.get()
    assert shared.level == "global"
    shared.level = "mention"
    shared.save()
    assert group.notificationsettings.get().level == "mention"


def runners():
    registration = gl.http_post(f"/projects/{project.id}/runners/reset_registration_token")["token"]
    made = gl.runners.create({"token": registration, "description": "box", "tag_list": ["ruby", "docker"]})
    gl.runners.verify(made.token)
    refused(lambda: gl.runners.verify("wrong"), 403)
    runner = gl.runners.get(made.id)
    assert (runner.status, sorted(runner.tag_list)) == ("online", ["docker", "ruby"])
    runner.paused = True
    runner.maximum_timeout = 3600
    runner.save()
    assert [r.id for r in project.runners.list(tag_list=["ruby"], paused=True)] == [made.id]
    own = gl.http_post("/user/runners", post_data={"runner_type": "group_type", "group_id": group.id})
    assert own["token"].startswith("glrt-")
    assert [r.id for r in group.runners.list(type="group_type")] == [own["id"]]
    assert made.id in [r.id for r in gl.runners_all.list(all=True)] and made.id in [r.id for r in gl.runners.all()]
    other = gl.projects.create({"name": "Other", "namespace_id": group.id})
    other.runners.create({"runner_id": made.id})
    refused(lambda: other.runners.create({"runner_id": made.id}), 400)
    other.runners.delete(made.id)
    gl.runners.delete(made.id)
    refused(lambda: gl.runners.get(made.id), 404)


def protected_environments():
    levels = {"deploy_access_levels": [{"access_level": 40}]}
    made = project.protected_environments.create({"name": "review/a", **levels})
    assert project.protected_environments.get("review/a").deploy_access_levels == made.deploy_access_levels
    assert [p.name for p in project.protected_environments.list()] == ["review/a"]
    refused(lambda: project.protected_environments.create({"name": "review/a", **levels}), 409, "already protected")
    made.delete()
    refused(lambda: project.protected_environments.get("review/a"), 404)
    path = f"/groups/{group.id}/protected_environments"
    rules = [{"group_id": group.id, "required_approvals": 2}]
    own = gl.http_post(path, post_data={"name": "production", **levels, "approval_rules": rules})
    rule = own["approval_rules"][0]
    assert (rule["access_level_description"], rule["required_approvals"]) == (group.name, 2)
    gone = gl.http_put(f"{path}/production", post_data={"approval_rules": [{"id": rule["id"], "_destroy": True}]})
    assert gone == {**own, "approval_rules": []}
    assert [p["name"] for p in gl.http_list(path)] == ["production"]
    gl.http_delete(f"{path}/production")
    assert gl.http_list(path) == []


CI = """
build:
  stage: build
  script: make
  artifacts: {paths: [out]}
unit:
  script: make test
ship:
  stage: deploy
  when: manual
  resource_group: sea
  script: make ship
"""


def ssh_certificates():
    at = f"/groups/{group.id}/ssh_certificates"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-C", "ca@client", "-f", f"{folder}/ca"], check=True)
        with open(f"{folder}/ca.pub") as file:
            key = file.read()
    refused(lambda: gl.http_list(at), 404, "404 Not Found")
    gl.features.set("ssh_certificates_rest_endpoints", True, group=group.full_path)
    made = gl.http_post(at, post_data={"title": "build CA", "key": key})
    assert made["key"] == key
    assert [one["id"] for one in gl.http_list(at, iterator=True)] == [made["id"]]
    refused(lambda: gl.http_post(at, post_data={"title": "again", "key": key}), 422, "Fingerprint must be unique")
    gl.http_delete(f"{at}/{made['id']}")
    assert gl.http_list(at) == []


def protocol(method, path, **params):
    return requests.request(method, f"{url}/api/v4{path}", **params)


def run_one(runner, log=b"done\n", state="success", archive=None):
    job = protocol("POST", "/jobs/request", json={"token": runner}).json()
    proof = {"JOB-TOKEN": job["token"]}
    span = {**proof, "Content-Range": f"0-{len(log) - 1}"}
    assert protocol("PATCH", f"/jobs/{job['id']}/trace", data=log, headers=span).status_code == 202
    if archive:
        files = {"file": ("artifacts.zip", archive)}
        sent = protocol("POST", f"/jobs/{job['id']}/artifacts", headers=proof, files=files, data={"expire_in": "1 week"})
        assert sent.status_code == 201, sent.text
    assert protocol("PUT", f"/jobs/{job['id']}", json={"token": job["token"], "state": state}).status_code == 200
    return job["id"]


def pipelines():
    global runner, pipeline
    order = {"runner_type": "project_type", "project_id": project.id}
    runner = gl.http_post("/user/runners", post_data=order)
    file = {"action": "create", "file_path": ".gitlab-ci.yml", "content": CI}
    project.commits.create({"branch": "main", "commit_message": "CI [skip ci]", "actions": [file]})
    given = [{"key": "MODE", "value": "full"}]
    pipeline = project.pipelines.create({"ref": "main", "variables": given})
    assert (pipeline.source, pipeline.ref, pipeline.user["username"]) == ("api", "main", "root")
    assert [(v.key, v.value) for v in pipeline.variables.list()] == [("MODE", "full")]
    assert pipeline.bridges.list() == []
    assert [j.name for j in pipeline.jobs.list(all=True)] == ["ship", "unit", "build"]
    assert pipeline.id in [p.id for p in project.pipelines.list(ref="main", source="api", scope="branches", all=True)]
    # This version knows neither the latest pipeline nor resource groups.
    assert gl.http_get(f"/projects/{project.id}/pipelines/latest", query_data={"ref": "main"})["id"] == pipeline.id
    second = project.pipelines.create({"ref": "main"})
    second.cancel()
    assert project.pipelines.get(second.id).status == "canceled"
    second.retry()
    assert project.pipelines.get(second.id).status == "pending"
    second.delete()
    refused(lambda: project.pipelines.get(second.id), 404, "404 Not found")
    refused(lambda: project.pipelines.create({"ref": "nowhere"}), 400, "Reference not found")
    refused(lambda: project.pipelines.list(scope="none"), 400, "scope does not have a valid value")


def triggers_and_schedules():
    trigger = project.triggers.create({"description": "ours"})
    started = project.trigger_pipeline("main", trigger.token, {"MODE": "full"})
    assert (started.source, started.ref) == ("trigger", "main")
    assert [v.key for v in started.variables.list()] == ["MODE", "TRIGGER_PAYLOAD"]
    refused(lambda: project.trigger_pipeline("main", "glptt-unknown"), 404, "404 Not Found")
    started.delete()
    trigger.description = "theirs"
    trigger.save()
    assert [t.description for t in project.triggers.list()] == ["theirs"]
    trigger.delete()
    wish = {"description": "nightly", "ref": "main", "cron": "0 1 * * 5", "cron_timezone": "Berlin"}
    schedule = project.pipelineschedules.create(wish)
    schedule.variables.create({"key": "MODE", "value": "full"})
    schedule.active = False
    schedule.save()
    schedule.take_ownership()
    schedule = project.pipelineschedules.get(schedule.id)
    assert schedule.attributes["variables"][0]["value"] == "full"
    # What play answers is all that the object holds afterwards.
    project.pipelineschedules.get(schedule.id).play()
    wait_until(lambda: project.pipelineschedules.get(schedule.id).last_pipeline)
    made = project.pipelines.get(project.pipelineschedules.get(schedule.id).last_pipeline["id"])
    assert made.source == "schedule"
    made.delete()
    refused(lambda: project.pipelineschedules.create({**wish, "cron": "often"}), 400, "syntax is invalid")
    schedule.variables.delete("MODE")
    schedule.delete()
    assert project.pipelineschedules.list() == []


def jobs():
    built = run_one(runner["token"], b"built\n", archive=b"PK\x05\x06" + bytes(18))
    job = project.jobs.get(built)
    assert (job.name, job.status, job.runner["id"], job.trace()) == ("build", "success", runner["id"], b"built\n")
    assert job.artifacts() == b"PK\x05\x06" + bytes(18)
    assert job.artifacts_expire_at is not None
    job.keep_artifacts()
    assert project.jobs.get(built).artifacts_expire_at is None
    job.delete_artifacts()
    refused(job.artifacts, 404)
    failed = run_one(runner["token"], state="failed")
    job = project.jobs.get(failed)
    assert (job.status, job.failure_reason) == ("failed", "unknown_failure")
    again = job.retry()
    assert again["id"] != failed
    refused(job.retry, 403, "Job is not retryable")
    assert failed in [j.id for j in pipeline.jobs.list(include_retried=True, all=True)]
    assert failed not in [j.id for j in pipeline.jobs.list(all=True)]
    project.jobs.get(again["id"]).cancel()
    assert project.jobs.get(again["id"]).status == "canceled"
    job.erase()
    assert project.jobs.get(failed).erased_at
    assert [j.status for j in project.jobs.list(scope=["canceled", "success"], all=True)] == ["canceled", "success"]
    found = [j.id for j in project.jobs.list(iterator=True, pagination="keyset", order_by="id", per_page=2)]
    assert found == [j.id for j in project.jobs.list(all=True)] and len(found) == 3
    assert [j.id for j in gl.runners.get(runner["id"]).jobs.list(status="failed")] == [failed]


def resource_groups():
    path = f"/projects/{project.id}/resource_groups"
    assert [g["key"] for g in gl.http_list(path)] == ["sea"]
    assert gl.http_get(f"{path}/sea")["process_mode"] == "unordered"
    assert gl.http_put(f"{path}/sea", post_data={"process_mode": "oldest_first"})["process_mode"] == "oldest_first"
    refused(lambda: gl.http_get(f"{path}/land"), 404)
    gl.http_delete("/runners", query_data={"token": runner["token"]})
    refused(lambda: gl.runners.get(runner["id"]), 404)


def snippets():
    values = {"title": "Of a project", "file_name": "a.txt", "content": "text", "visibility": "private"}
    snippet = project.snippets.create(values)
    assert snippet.content() == b"text"
    snippet.title = "Other"
    snippet.save()
    assert [one.title for one in project.snippets.list()] == ["Other"]
    snippet.notes.create({"body": "Why?"})
    snippet.delete()
    # Release 3.12 sends one file only, release 8 also several.
    is_one_file = "file_name" in gl.snippets._create_attrs.required
    one_file = {"file_name": "b.txt", "content": "b"}
    files = {"files": [{"file_path": "b.txt", "content": "b"}]}
    own = gl.snippets.create({"title": "Mine", "visibility": "private", **(one_file if is_one_file else files)})
    assert own.content() == b"b"
    own.delete()


def deployments():
    environment = project.environments.create({"name": "shop", "external_url": "https://shop.test"})
    sha = project.commits.list(get_all=False)[0].id
    values = {"environment": "shop", "sha": sha, "ref": "main", "tag": False, "status": "running"}
    deployment = project.deployments.create(values)
    deployment.status = "success"
    deployment.save()
    assert project.deployments.list(environment="shop", status="success", get_all=False)[0].id == deployment.id
    environment.stop()
    environment.delete()


def deleting():
    project.delete()
    assert gl.projects.get(project.id).marked_for_deletion_on
    assert gl.projects.create({"name": "Moved", "path": "moved", "namespace_id": sub.id}).path == "moved"


for work in [sign_in, groups, projects, members, files, commits, branches, tags, variables, repository, moving, tokens_and_settings, oauth, bots_and_impersonation, addresses, labels, milestones, issues, merging, threads, awards_and_links, todos_and_commands, wikis, epics, iterations, notes, talking, merge_requests, histories, notifications, rebasing, runners, protected_environments, ssh_certificates, pipelines, triggers_and_schedules, jobs, resource_groups, snippets, deployments, deleting]:
    step(work.__name__, work)
sys.exit(1 if failed else 0)
