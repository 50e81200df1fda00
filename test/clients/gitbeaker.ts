// Drives a Hearth server with @gitbeaker/rest as a user would: one line a step.
import assert from 'node:assert/strict';
import { Gitlab } from '@gitbeaker/rest';
import { createZip } from '../support/zip.ts';
import { step } from './step.ts';

const host = process.env.HEARTH!;
const api = new Gitlab({ host, token: process.env.TOKEN! });
let id = 0;
await step('sign in', async () => {
  assert.equal((await api.Users.showCurrentUser()).username, 'root');
});
await step('projects', async () => {
  const project = await api.Projects.create({ name: 'beaker', initializeWithReadme: true });
  id = project.id;
  for (let number = 0; number < 25; number++) await api.Projects.create({ name: `beaker-${number}` });
  const all = await api.Projects.all({ search: 'beaker', perPage: 10 });
  assert.equal(all.length, 26);
  const keyset = await api.Projects.all({ pagination: 'keyset', orderBy: 'id', sort: 'asc', perPage: 10 });
  assert.ok(keyset.length >= 26);
});
await step('files', async () => {
  await api.RepositoryFiles.create(id, 'dir/ü.txt', 'main', 'text\n', 'Add');
  const file = await api.RepositoryFiles.show(id, 'dir/ü.txt', 'main');
  assert.equal(Buffer.from(file.content, 'base64').toString(), 'text\n');
  await api.RepositoryFiles.edit(id, 'dir/ü.txt', 'main', 'other\n', 'Change');
  const raw = await api.RepositoryFiles.showRaw(id, 'dir/ü.txt', 'main');
  assert.equal(typeof raw === 'string' ? raw : await (raw as Blob).text(), 'other\n');
  const blame = await api.RepositoryFiles.allFileBlames(id, 'dir/ü.txt', 'main');
  assert.deepEqual(blame[0]?.lines, ['other']);
  await api.RepositoryFiles.remove(id, 'dir/ü.txt', 'main', 'Away');
});
await step('commits', async () => {
  const commit = await api.Commits.create(id, 'main', 'Many', [
    { action: 'create', filePath: 'a.txt', content: 'a' },
    { action: 'create', filePath: 'b.txt', content: 'b' },
  ]);
  assert.equal((await api.Commits.show(id, commit.id)).title, 'Many');
  assert.equal((await api.Commits.showDiff(id, commit.id)).length, 2);
});
await step('branches and tags', async () => {
  await api.Branches.create(id, 'feature/x', 'main');
  assert.equal((await api.Branches.show(id, 'feature/x')).name, 'feature/x');
  assert.equal((await api.Branches.all(id)).length, 2);
  await api.Branches.remove(id, 'feature/x');
  await api.Tags.create(id, 'v1', 'main');
  assert.equal((await api.Tags.all(id))[0]?.name, 'v1');
  await api.ProtectedBranches.create(id, 'stable-*');
  await api.ProtectedBranches.remove(id, 'stable-*');
});
await step('CI/CD variables', async () => {
  const made = await api.ProjectVariables.create(id, 'DEPLOY_KEY', 's3cr3t-pass', { masked: true });
  assert.deepEqual([made.value, made.masked], ['s3cr3t-pass', true]);
  await api.ProjectVariables.create(id, 'DEPLOY_KEY', 'other', { environmentScope: 'review/*' });
  const filter = { environment_scope: 'review/*' };
  assert.equal((await api.ProjectVariables.edit(id, 'DEPLOY_KEY', 'changed', { filter })).value, 'changed');
  assert.equal((await api.ProjectVariables.show(id, 'DEPLOY_KEY', { filter })).environment_scope, 'review/*');
  assert.equal((await api.ProjectVariables.all(id)).length, 2);
  await api.ProjectVariables.remove(id, 'DEPLOY_KEY', { filter });
  assert.equal((await api.ProjectVariables.all(id)).length, 1);
});
await step('tree and compare', async () => {
  const names = (await api.Repositories.allRepositoryTrees(id)).map(({ name }) => name);
  assert.ok(names.includes('a.txt'), names.join(' '));
  const compared = await api.Repositories.compare(id, 'main~1', 'main');
  assert.equal(compared.commits?.length, 1);
});
await step('a token of OAuth, and who may use it', async () => {
  const grant = { grant_type: 'password', username: 'root', password: process.env.PASSWORD! };
  const answer = await fetch(`${host}/oauth/token`, { method: 'POST', body: new URLSearchParams(grant) });
  const { access_token: oauthToken } = (await answer.json()) as { access_token: string };
  const other = new Gitlab({ host, oauthToken });
  assert.equal((await other.Users.showCurrentUser()).username, 'root');
  assert.equal((await other.Projects.show(id)).id, id);
  const application = await api.Applications.create('beaker', 'https://app.test/cb', 'api');
  await api.Applications.remove(application.id);
});
await step('tokens of projects', async () => {
  const expiresAt = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const made = await api.ProjectAccessTokens.create(id, 'bot', ['api'], expiresAt, { accessLevel: 30 });
  const bot = new Gitlab({ host, token: made.token as string });
  assert.equal((await bot.Projects.show(id)).id, id);
  assert.equal((await api.ProjectAccessTokens.all(id)).length, 1);
  await api.ProjectAccessTokens.revoke(id, made.id);
  await assert.rejects(bot.Projects.show(id), /401 Unauthorized|invalid_token/);
});
await step('labels', async () => {
  const made = await api.ProjectLabels.create(id, 'to do: now', '#8899aa', { description: 'Soon', priority: 2 });
  assert.deepEqual([made.description, made.priority], ['Soon', 2]);
  const edited = await api.ProjectLabels.edit(id, 'to do: now', { newName: 'later', priority: 1 });
  assert.deepEqual([edited.name, edited.id], ['later', made.id]);
  const [counted] = await api.ProjectLabels.all(id, { withCounts: true });
  assert.equal(counted?.open_issues_count, 0);
  await api.ProjectLabels.remove(id, 'later');
  await assert.rejects(api.ProjectLabels.show(id, made.id), /404 Label Not Found/);
});
await step('milestones', async () => {
  const made = await api.ProjectMilestones.create(id, 'v1', { startDate: '2099-01-01', dueDate: '2099-02-01' });
  assert.deepEqual([made.iid, made.state, made.due_date], [1, 'active', '2099-02-01']);
  const closed = await api.ProjectMilestones.edit(id, made.id, { stateEvent: 'close' });
  assert.equal(closed.state, 'closed');
  assert.deepEqual(await api.ProjectMilestones.all(id, { state: 'active' }), []);
  assert.equal((await api.ProjectMilestones.all(id, { iids: [1], search: 'V' })).length, 1);
  await api.ProjectMilestones.remove(id, made.id);
});
await step('issues and notes', async () => {
  const { id: milestoneId } = await api.ProjectMilestones.create(id, 'for issues');
  const made = await api.Issues.create(id, 'Broken', { labels: 'bug,new', milestoneId, dueDate: '2099-01-01' });
  assert.deepEqual([made.iid, made.labels, made.milestone?.title], [1, ['bug', 'new'], 'for issues']);
  const closed = await api.Issues.edit(id, made.iid, { stateEvent: 'close', addLabels: 'old', removeLabels: 'new' });
  assert.deepEqual([closed.state, closed.labels], ['closed', ['bug', 'old']]);
  for (let number = 0; number < 12; number++) await api.Issues.create(id, `Number ${number}`);
  assert.equal((await api.Issues.all({ projectId: id, state: 'opened', perPage: 5 })).length, 12);
  assert.equal((await api.Issues.all({ projectId: id, labels: 'bug,old' })).length, 1);
  assert.equal((await api.Issues.all({ projectId: id, not: { labels: 'bug' } })).length, 12);
  assert.equal((await api.ProjectMilestones.allAssignedIssues(id, milestoneId)).length, 1);
  const note = await api.IssueNotes.create(id, made.iid, 'Seen on two hosts');
  await api.IssueNotes.edit(id, made.iid, note.id, { body: 'Seen on three hosts' });
  const bodies = (await api.IssueNotes.all(id, made.iid)).map(({ body }) => body);
  assert.ok(bodies.includes('Seen on three hosts'), bodies.join(', '));
  await api.IssueNotes.remove(id, made.iid, note.id);
  const [state] = await api.IssueStateEvents.all(id, made.iid);
  assert.deepEqual([state?.state, state?.resource_id], ['closed', made.id]);
  const [milestone] = await api.IssueMilestoneEvents.all(id, made.iid);
  assert.deepEqual([milestone?.action, milestone?.milestone.id], ['add', milestoneId]);
  const events = await api.Events.all({ projectId: id, action: 'closed', targetType: 'issue' });
  assert.deepEqual(
    events.map(({ target_title }) => target_title),
    ['Broken'],
  );
  assert.ok((await api.Events.all({ scope: 'all', perPage: 5, maxPages: 1 })).length > 0);
  await api.Issues.remove(id, made.iid);
  await assert.rejects(api.Issues.show(made.iid, { projectId: id }), /404 Not found/);
});
await step('merging', async () => {
  const change = (branch: string) =>
    api.Commits.create(id, branch, 'Add', [{ action: 'create', filePath: `${branch}.txt`, content: 'x' }], {
      startBranch: 'main',
    });
  await change('merged');
  const made = await api.MergeRequests.create(id, 'merged', 'main', 'Add a file');
  assert.equal((await api.MergeRequests.allCommits(id, made.iid)).length, 1);
  assert.equal((await api.MergeRequests.allDiffs(id, made.iid))[0]?.new_path, 'merged.txt');
  const shown = await api.MergeRequests.show(id, made.iid);
  assert.deepEqual([shown.detailed_merge_status, shown.changes_count], ['mergeable', '1']);
  await assert.rejects(api.MergeRequests.merge(id, made.iid, { sha: '1'.repeat(40) }), /SHA does not match HEAD/);
  const merged = await api.MergeRequests.merge(id, made.iid, { squash: true, shouldRemoveSourceBranch: true });
  assert.deepEqual([merged.state, (merged.merge_user as { username?: string }).username], ['merged', 'root']);
  assert.equal((await api.Branches.show(id, 'main')).commit.id, merged.merge_commit_sha);
  await assert.rejects(api.Branches.show(id, 'merged'), /404 Branch Not Found/);
  await assert.rejects(api.MergeRequests.merge(id, made.iid), /405 Method Not Allowed/);
});
await step('rebasing, approving and merging later', async () => {
  const add = (branch: string, filePath: string, startBranch?: string) =>
    api.Commits.create(id, branch, 'Add', [{ action: 'create', filePath, content: 'x' }], {
      ...(startBranch && { startBranch }),
    });
  await add('aside', 'aside.txt', 'main');
  const { iid } = await api.MergeRequests.create(id, 'aside', 'main', 'Draft: Aside');
  await add('main', 'ahead.txt');
  assert.equal((await api.MergeRequests.rebase(id, iid, { skipCI: true })).rebase_in_progress, true);
  const read = () =>
    api.MergeRequests.show(id, iid, { includeRebaseInProgress: true, includeDivergedCommitsCount: true });
  while ((await read()).rebase_in_progress) await new Promise((done) => setTimeout(done, 250));
  assert.equal((await read()).diverged_commits_count, 0);
  assert.equal((await api.MergeRequests.allDiffVersions(id, iid)).length, 2);
  assert.equal((await api.MergeRequests.addSpentTime(id, iid, '1h')).human_total_time_spent, '1h');
  assert.deepEqual(await api.MergeRequests.allIssuesClosed(id, iid), []);
  await assert.rejects(api.MergeRequestApprovals.approve(id, iid), /401 Unauthorized/);
  const waiting = await api.MergeRequests.merge(id, iid, { mergeWhenPipelineSucceeds: true });
  assert.deepEqual([waiting.state, waiting.merge_when_pipeline_succeeds], ['opened', true]);
  await api.MergeRequests.edit(id, iid, { title: 'Aside' });
  while ((await read()).state !== 'merged') await new Promise((done) => setTimeout(done, 250));
});
await step('talking of merge requests', async () => {
  const [iid, title] = [1, 'Told'];
  const note = await api.MergeRequestNotes.create(id, iid, 'Seen on two hosts');
  await api.MergeRequestNotes.edit(id, iid, note.id, { body: 'Seen on three hosts' });
  const shown = await api.MergeRequestNotes.show(id, iid, note.id);
  assert.deepEqual([shown.body, shown.noteable_type], ['Seen on three hosts', 'MergeRequest']);
  const [state] = await api.MergeRequestStateEvents.all(id, iid);
  assert.deepEqual([state?.state, state?.resource_type], ['merged', 'MergeRequest']);
  await api.MergeRequests.edit(id, iid, { milestoneId: (await api.ProjectMilestones.create(id, title)).id });
  const [milestone] = await api.MergeRequestMilestoneEvents.all(id, iid);
  assert.deepEqual([milestone?.action, milestone?.milestone.title], ['add', title]);
  await api.MergeRequestNotes.remove(id, iid, note.id);
  await assert.rejects(api.MergeRequestNotes.show(id, iid, note.id), /404 Not found/);
});
await step('threads', async () => {
  const begun = await api.MergeRequestDiscussions.create(id, 1, 'Why?');
  const answer = await api.MergeRequestDiscussions.addNote(id, 1, begun.id, 'Because');
  assert.deepEqual([begun.individual_note, answer.type], [false, 'DiscussionNote']);
  const resolved = await api.MergeRequestDiscussions.resolve(id, 1, begun.id, true);
  assert.deepEqual(
    resolved.notes?.map((note) => note.resolved),
    [true, true],
  );
  const commit = (await api.Commits.all(id))[0]!;
  const thread = await api.CommitDiscussions.create(id, commit.id, 'Nice');
  await api.CommitDiscussions.addNote(id, commit.id, thread.id, 'Very');
  assert.equal((await api.CommitDiscussions.show(id, commit.id, thread.id)).notes?.length, 2);
  await api.Commits.createComment(id, commit.id, 'Plain');
  assert.deepEqual(
    (await api.Commits.allComments(id, commit.id)).map(({ note }) => note),
    ['Nice', 'Very', 'Plain'],
  );
  assert.deepEqual(
    (await api.Commits.allMergeRequests(id, commit.id)).map(({ title }) => title),
    ['Aside'],
  );
});
await step('to-dos, emoji and commands', async () => {
  const { iid } = await api.Issues.create(id, 'To do', { description: 'Text' });
  await api.Issues.createTodo(id, iid);
  const [todo] = await api.TodoLists.all({ type: 'Issue' });
  assert.deepEqual([todo!.action_name, todo!.state], ['marked', 'pending']);
  await api.TodoLists.done({ todoId: todo!.id });
  await api.TodoLists.done();
  assert.deepEqual(await api.TodoLists.all(), []);
  const award = await api.IssueAwardEmojis.award(id, iid, 'rocket');
  assert.equal((await api.IssueAwardEmojis.show(id, iid, award.id)).name, 'rocket');
  await api.IssueAwardEmojis.remove(id, iid, award.id);
  const other = await api.Issues.create(id, 'Other');
  await api.IssueLinks.create(id, iid, id, other.iid);
  assert.equal((await api.IssueLinks.all(id, iid))[0]?.iid, other.iid);
  const note = await api.IssueNotes.create(id, iid, 'Enough\n/close');
  assert.equal(note.body, 'Enough');
  assert.equal((await api.Issues.show(iid, { projectId: id })).state, 'closed');
});
await step('wikis', async () => {
  const page = await api.ProjectWikis.create(id, '# Hello', 'Guides/First steps');
  assert.equal(page.slug, 'Guides/First-steps');
  assert.equal((await api.ProjectWikis.edit(id, page.slug, { content: 'Other' })).content, 'Other');
  assert.equal((await api.ProjectWikis.show(id, page.slug)).title, 'First steps');
  const file = { content: new Blob(['x']), filename: 'my notes.pdf' };
  const { link } = await api.ProjectWikis.uploadAttachment(id, file);
  assert.match(link.markdown, /^\[my_notes\.pdf\]\(uploads\/[0-9a-f]{32}\/my_notes\.pdf\)$/);
  assert.equal((await api.ProjectWikis.all(id)).length, 1);
  await api.ProjectWikis.remove(id, page.slug);
  assert.deepEqual(await api.ProjectWikis.all(id), []);
});
await step('merge requests', async () => {
  await api.Branches.create(id, 'asked', 'main');
  const ask = () => api.MergeRequests.create(id, 'asked', 'main', 'Draft: Ask', { labels: 'asking' });
  const made = await ask();
  assert.deepEqual([made.state, made.draft, made.labels], ['opened', true, ['asking']]);
  await assert.rejects(ask(), /Another open merge request already exists/);
  const edited = await api.MergeRequests.edit(id, made.iid, { title: 'Ask', discussionLocked: true });
  assert.deepEqual([edited.draft, edited.discussion_locked], [false, true]);
  const open = await api.MergeRequests.all({ projectId: id, state: 'opened', sourceBranch: 'asked' });
  assert.deepEqual(
    open.map(({ iid }) => iid),
    [made.iid],
  );
  assert.equal((await api.MergeRequests.allParticipants(id, made.iid)).length, 1);
  const closed = await api.MergeRequests.edit(id, made.iid, { stateEvent: 'close' });
  assert.equal(closed.state, 'closed');
  await api.MergeRequests.remove(id, made.iid);
  await assert.rejects(api.MergeRequests.show(id, made.iid), /404 Not found/);
});
await step('epics', async () => {
  const group = await api.Groups.create('Epic beakers', 'epic-beakers');
  const inside = await api.Projects.create({ name: 'planned', namespaceId: group.id });
  const epic = await api.Epics.create(group.id, 'Big', { labels: 'planned', color: 'red' });
  assert.deepEqual([epic.iid, epic.title, epic.labels], [1, 'Big', ['planned']]);
  const closed = await api.Epics.edit(group.id, epic.iid, { stateEvent: 'close' });
  assert.equal(closed.state, 'closed');
  const [state] = await api.EpicStateEvents.all(group.id, epic.id);
  assert.deepEqual([state?.state, state?.resource_type], ['closed', 'Epic']);
  const issues = [await api.Issues.create(inside.id, 'One'), await api.Issues.create(inside.id, 'Two')];
  for (const issue of issues) await api.EpicIssues.assign(group.id, epic.iid, issue.id);
  const titles = async () => (await api.EpicIssues.all(group.id, epic.iid)).map(({ title }) => title);
  assert.deepEqual(await titles(), ['Two', 'One']);
  const [two, one] = await api.EpicIssues.all(group.id, epic.iid);
  await api.EpicIssues.edit(group.id, epic.iid, two!.epic_issue_id as number, {
    moveBeforeId: one!.epic_issue_id as number,
  });
  assert.deepEqual(await titles(), ['One', 'Two']);
  const note = await api.EpicNotes.create(group.id, epic.id, 'Seen');
  await api.EpicNotes.edit(group.id, epic.id, note.id, { body: 'Seen twice' });
  const bodies = (await api.EpicNotes.all(group.id, epic.id)).map(({ body }) => body);
  assert.ok(bodies.includes('Seen twice'), bodies.join());
  await api.EpicIssues.remove(group.id, epic.iid, one!.epic_issue_id as number);
  assert.deepEqual(await titles(), ['Two']);
  await api.Epics.remove(group.id, epic.iid);
  assert.deepEqual(await api.Epics.all(group.id), []);
});
await step('iterations', async () => {
  const group = await api.Groups.create('Beakers', 'beakers');
  const inside = await api.Projects.create({ name: 'iterated', namespaceId: group.id });
  const post = (days: object) =>
    fetch(`${host}/api/v4/groups/${group.id}/iterations`, {
      method: 'POST',
      headers: { 'PRIVATE-TOKEN': process.env.TOKEN!, 'content-type': 'application/json' },
      body: JSON.stringify(days),
    });
  await post({ title: 'one', start_date: '2099-01-01', due_date: '2099-01-14' });
  await post({ title: 'two', start_date: '2099-02-01', due_date: '2099-02-14' });
  // `ProjectIterations` asks for /project/:id, which nobody has.
  const all = await api.GroupIterations.all(group.id, { state: 'upcoming' });
  assert.deepEqual(
    all.map(({ title, state, group_id }) => [title, state, group_id]),
    [
      ['one', 1, group.id],
      ['two', 1, group.id],
    ],
  );
  assert.equal((await api.GroupIterations.all(group.id, { search: 'TWO' })).length, 1);
  const one = await api.Issues.create(inside.id, 'Planned', { iterationId: all[0]!.id } as object);
  assert.equal((one.iteration as unknown as { title: string }).title, 'one');
  assert.equal((await api.Issues.all({ projectId: inside.id, iterationId: all[1]!.id })).length, 0);
});
await step('protected environments', async () => {
  const group = await api.Groups.create('Guarded', 'guarded');
  const inside = await api.Projects.create({ name: 'guarded', namespaceId: group.id });
  const levels = (made: object) => (made as { deploy_access_levels: { id: number }[] }).deploy_access_levels;
  for (const [protections, place, name] of [
    [api.GroupProtectedEnvironments, group.id, 'production'],
    [api.ProjectProtectedEnvironments, inside.id, 'review%2Fa'],
  ] as const) {
    const made = await protections.create(place, decodeURIComponent(name), [{ accessLevel: 40 }], {
      approvalRules: [{ accessLevel: 30, requiredApprovals: 2 }],
    } as never);
    const [level] = levels(made);
    const deployAccessLevels = [{ id: level!.id, accessLevel: 30 }, { accessLevel: 60 }];
    const changed = await protections.edit(place, name, { deployAccessLevels, requiredApprovalCount: 1 } as never);
    assert.deepEqual(
      levels(changed).map((one) => (one as unknown as { access_level: number }).access_level),
      [30, 60],
    );
    const without = { deployAccessLevels: [{ id: level!.id, _destroy: true }] } as never;
    assert.equal(levels(await protections.edit(place, name, without)).length, 1);
    assert.deepEqual(levels(await protections.show(place, name)), levels(changed).slice(1));
    assert.equal((await protections.all(place)).length, 1);
    await protections.remove(place, name);
    assert.deepEqual(await protections.all(place), []);
  }
});
await step('notification settings', async () => {
  assert.equal((await api.NotificationSettings.show()).level, 'participating');
  const edited = await api.NotificationSettings.edit({ projectId: id, level: 'custom', newNote: true });
  assert.equal(edited.level, 'custom');
  const shown = await api.NotificationSettings.show({ projectId: id });
  assert.deepEqual([shown.level, (shown.events as { new_note?: boolean })?.new_note], ['custom', true]);
});
const call = (method: string, path: string, body: object, headers = {}) =>
  fetch(`${host}/api/v4${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const textOf = async (answer: unknown) => (typeof answer === 'string' ? answer : await (answer as Blob).text());
let runner = { id: 0, token: '' };
await step('runners', async () => {
  const { runners_token: token } = (await api.Projects.show(id)) as unknown as { runners_token: string };
  const made = await api.Runners.register(token, { description: 'box', tagList: ['fine'], runUntagged: true });
  runner = { id: made.id, token: made.token };
  await api.Runners.verify({ token: made.token } as object);
  const shown = await api.Runners.show(made.id);
  assert.deepEqual([shown.description, shown.tag_list, shown.runner_type], ['box', ['fine'], 'project_type']);
  const edited = await api.Runners.edit(made.id, { paused: true });
  assert.equal(edited.paused, true);
  assert.equal((await api.Runners.edit(made.id, { paused: false })).paused, false);
  assert.deepEqual(
    (await api.Runners.all({ projectId: id, type: 'project_type' })).map((one) => one.id),
    [made.id],
  );
  assert.ok((await api.Runners.all({ perPage: 1 })).some((one) => one.id === made.id));
  const other = await api.Projects.create({ name: 'second place' });
  assert.equal((await api.Runners.enable(other.id, made.id)).id, made.id);
  await api.Runners.disable(other.id, made.id);
  const order = { runner_type: 'instance_type', description: 'of all' };
  const own = await call('POST', '/user/runners', order, { 'PRIVATE-TOKEN': process.env.TOKEN! });
  const { id: shared, token: authentication } = (await own.json()) as { id: number; token: string };
  assert.match(authentication, /^glrt-/);
  await api.Runners.remove({ runnerId: shared });
  await assert.rejects(api.Runners.show(shared), /404 Not found/);
});
await step('pipelines, jobs and what they leave', async () => {
  const file =
    'build:\n  script: make\n  artifacts: {paths: [out]}\nship:\n  stage: deploy\n  when: manual\n  resource_group: sea\n  script: ship\n';
  await api.RepositoryFiles.create(id, '.gitlab-ci.yml', 'main', file, 'CI [skip ci]');
  const made = await api.Pipelines.create(id, 'main', { variables: [{ key: 'MODE', value: 'full' }] });
  assert.deepEqual([made.source, made.ref], ['api', 'main']);
  assert.equal((await api.Pipelines.allVariables(id, made.id))[0]?.value, 'full');
  assert.equal((await api.Pipelines.showLatest(id, { ref: 'main' })).id, made.id);
  assert.ok((await api.Pipelines.all(id, { source: 'api' })).some((one) => one.id === made.id));
  const jobs = await api.Jobs.all(id, { pipelineId: made.id });
  assert.deepEqual(
    jobs.map(({ name }) => name),
    ['ship', 'build'],
  );
  assert.deepEqual(await api.Jobs.allPipelineBridges(id, made.id), []);
  const given = (await (await call('POST', '/jobs/request', { token: runner.token })).json()) as typeof runner;
  const proof = { 'JOB-TOKEN': given.token };
  const headers = { ...proof, 'Content-Range': '0-4' };
  await fetch(`${host}/api/v4/jobs/${given.id}/trace`, { method: 'PATCH', headers, body: 'built' });
  const form = new FormData();
  const archive = createZip([{ name: 'out/a.txt', content: 'made' }]);
  form.set('file', new Blob([archive]), 'artifacts.zip');
  await fetch(`${host}/api/v4/jobs/${given.id}/artifacts`, { method: 'POST', headers: proof, body: form });
  await call('PUT', `/jobs/${given.id}`, { token: given.token, state: 'success' });
  const job = await api.Jobs.show(id, given.id);
  assert.deepEqual([job.status, job.artifacts_file.filename], ['success', 'artifacts.zip']);
  assert.equal(await textOf(await api.Jobs.showLog(id, given.id)), 'built');
  const whole = await api.JobArtifacts.downloadArchive(id, { jobId: given.id });
  assert.equal((await textOf(whole)).slice(0, 2), 'PK');
  const one = { jobId: given.id, artifactPath: 'out/a.txt' };
  assert.equal(await textOf(await api.JobArtifacts.downloadArchive(id, one)), 'made');
  await assert.rejects(api.JobArtifacts.downloadArchive(id, { job: 'build', ref: 'nowhere' }), /404 Not found/);
  await api.JobArtifacts.keep(id, given.id);
  await api.JobArtifacts.remove(id, { jobId: given.id });
  await api.Jobs.erase(id, given.id);
  const again = await api.Jobs.retry(id, given.id);
  assert.equal((await api.Jobs.cancel(id, again.id)).status, 'canceled');
  assert.equal((await api.Runners.allJobs(runner.id, { status: 'success' }))[0]?.id, given.id);
  assert.deepEqual(
    [(await api.Pipelines.cancel(id, made.id)).id, (await api.Pipelines.retry(id, made.id)).id],
    [made.id, made.id],
  );
});
await step('CI files, and what others say of commits', async () => {
  const tried = await api.Lint.check(id, { dryRun: true, includeJobs: true });
  assert.deepEqual([tried.valid, tried.errors], [true, []]);
  assert.deepEqual((await api.Lint.lint(id, 'odd: 1')).errors, [
    'jobs odd config should implement the script:, run:, or trigger: keyword',
  ]);
  const { id: sha } = await api.Commits.show(id, 'main');
  const said = await api.Commits.editStatus(id, sha, 'success', { context: 'review', description: 'Fine' });
  assert.deepEqual([said.status, said.name], ['success', 'review']);
  const all = await api.Commits.allStatuses(id, sha);
  assert.ok(all.some((status) => status.id === said.id && status.description === 'Fine'));
});
await step('tokens that start pipelines', async () => {
  const trigger = await api.PipelineTriggerTokens.create(id, 'ours');
  assert.match(trigger.token, /^glptt-/);
  const started = await api.PipelineTriggerTokens.trigger(id, 'main', trigger.token, { variables: { MODE: 'full' } });
  assert.deepEqual([started.source, started.ref], ['trigger', 'main']);
  const variables = await api.Pipelines.allVariables(id, started.id);
  assert.deepEqual(
    variables.map(({ key }) => key),
    ['MODE', 'TRIGGER_PAYLOAD'],
  );
  const { last_used } = await api.PipelineTriggerTokens.show(id, trigger.id);
  assert.equal(last_used, started.created_at);
  assert.equal((await api.PipelineTriggerTokens.edit(id, trigger.id, { description: 'theirs' })).description, 'theirs');
  assert.equal((await api.PipelineTriggerTokens.all(id)).length, 1);
  await api.PipelineTriggerTokens.remove(id, trigger.id);
  await assert.rejects(api.PipelineTriggerTokens.show(id, trigger.id), /404 Not found/);
});
await step('schedules of pipelines', async () => {
  const schedule = await api.PipelineSchedules.create(id, 'nightly', 'main', '0 1 * * 5', { cronTimezone: 'Berlin' });
  assert.deepEqual([schedule.ref, schedule.cron_timezone], ['refs/heads/main', 'Berlin']);
  await api.PipelineScheduleVariables.create(id, schedule.id, 'MODE', 'full');
  assert.equal((await api.PipelineScheduleVariables.edit(id, schedule.id, 'MODE', 'some')).value, 'some');
  assert.equal((await api.PipelineSchedules.edit(id, schedule.id, { active: false })).active, false);
  assert.equal((await api.PipelineSchedules.takeOwnership(id, schedule.id)).id, schedule.id);
  assert.equal((await api.PipelineSchedules.run(id, schedule.id)).message, '201 Created');
  for (let turn = 0; turn < 40 && (await api.PipelineSchedules.show(id, schedule.id)).last_pipeline === null; turn++)
    await new Promise((done) => setTimeout(done, 250));
  const [pipeline] = await api.PipelineSchedules.allTriggeredPipelines(id, schedule.id);
  assert.equal(pipeline?.source, 'schedule');
  await api.PipelineScheduleVariables.remove(id, schedule.id, 'MODE');
  assert.equal((await api.PipelineSchedules.all(id, { scope: 'inactive' })).length, 1);
  await api.PipelineSchedules.remove(id, schedule.id);
  await assert.rejects(api.PipelineSchedules.show(id, schedule.id), /404 Pipeline Schedule Not Found/);
});
await step('resource groups, and the end of what was run', async () => {
  assert.equal((await api.ResourceGroups.all(id))[0]?.key, 'sea');
  const edited = await api.ResourceGroups.edit(id, 'sea', { processMode: 'oldest_first' });
  assert.deepEqual([edited.process_mode, (await api.ResourceGroups.show(id, 'sea')).key], ['oldest_first', 'sea']);
  const [pipeline] = await api.Pipelines.all(id, { source: 'api' });
  await api.Pipelines.remove(id, pipeline!.id);
  await assert.rejects(api.Pipelines.show(id, pipeline!.id), /404 Not found/);
  await api.Runners.remove({ token: runner.token });
  await assert.rejects(api.Runners.show(runner.id), /404 Not found/);
});
await step('refusals', async () => {
  await assert.rejects(api.Branches.show(id, 'nothing'), /404 Branch Not Found/);
  await assert.rejects(api.Projects.show('root/nothing'), /404 Project Not Found/);
});
