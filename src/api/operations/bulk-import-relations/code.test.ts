import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { environments } from './environments.ts';
import { createTestImport } from './fixtures.testing.ts';
import { issues } from './issues.ts';
import { mergeRequests } from './merge-requests.ts';
import { protectedBranches } from './protected-branches.ts';

// Merge requests, protected branches and environments.

const here = await world();
const group = await here.newGroup({ with: ['developer'] });
const { owner, developer } = group;
const AUTHOR = { id: 71, username: 'ada', name: 'Ada' };
const STRANGER = { id: 72, username: 'grace', name: 'Grace' };
const TIMES = { created_at: '2020-01-02T03:04:05.000Z', updated_at: '2020-02-02T00:00:00.000Z' };

const some = (shown: Record<string, unknown>, like: object) =>
  Object.fromEntries(Object.keys(like).map((name) => [name, shown[name]]));

/** Creates a project with a branch `work` that is one commit ahead. Returns both heads. */
async function importing() {
  const project = await here.newProject({ in: group, readme: true });
  const [base] = (await owner.get(`${project.repository}/commits`)).body;
  const head = await project.commit({ 'a.txt': 'a' }, { branch: 'work' });
  const of = await createTestImport(here, owner, project, { localUserIdsBySourceId: { [AUTHOR.id]: developer.id } });
  const shown = async (iid: number) => (await owner.get(`${project.at}/merge_requests/${iid}`)).body;
  return { project, of, shown, base: String(base.id), head };
}

const mergeRequestOf = (iid: number, more: Readonly<Record<string, unknown>> = {}) => ({
  ...{ id: 500 + iid, iid, title: `Change ${iid}`, description: 'Closes #3', state: 'opened', author: AUTHOR },
  ...{ source_branch: 'work', target_branch: 'main', sha: 'a'.repeat(40), labels: [], ...TIMES },
  ...{ web_url: `https://src.test/it/-/merge_requests/${iid}`, ...more },
});

test('imports all fields of a merge request, with and without its branches', async () => {
  const { of, shown } = await importing();
  const expected = {
    ...{ iid: 6, title: 'Draft: Change', description: 'Closes #3', state: 'closed', draft: true, squash: true },
    ...{ source_branch: 'gone', target_branch: 'gone/too', sha: 'b'.repeat(40), closed_at: '2020-02-01T00:00:00.000Z' },
    ...{ discussion_locked: true, labels: ['new'], imported: true, imported_from: 'gitlab_migration', ...TIMES },
  };
  const people = { assignees: [AUTHOR, STRANGER], reviewers: [AUTHOR], closed_by: STRANGER };
  const elements = [
    mergeRequestOf(6, { ...expected, ...people }),
    mergeRequestOf(6, { id: 9 }),
    mergeRequestOf(7, { source_branch: '../x' }),
  ];
  assert.deepEqual(
    await of
      .importElements(mergeRequests, [...elements, mergeRequestOf(8, { sha: 'HEAD' })])
      .then((failed) => failed.length),
    3,
  );
  const one = await shown(6);
  assert.deepEqual(some(one, expected), expected);
  const ids = (people_: { id: number }[]) => people_.map(({ id }) => id);
  assert.deepEqual(
    [one.author.id, ids(one.assignees), ids(one.reviewers)],
    [developer.id, [developer.id], [developer.id]],
  );
  assert.deepEqual([one.closed_by, one.merged_at], [null, null]);
});

test('rejects a second open merge request of the same branches; the open one follows its branch', async () => {
  const { project, of, shown, head } = await importing();
  const failures = await of.importElements(mergeRequests, [
    mergeRequestOf(1, { sha: head }),
    mergeRequestOf(2, { sha: head }),
    mergeRequestOf(3, { sha: head, state: 'locked' }),
  ]);
  assert.deepEqual([failures, (await shown(3)).state], [['invalid'], 'locked']);
  await here.runJobs();
  const { sha, changes_count, detailed_merge_status } = await shown(1);
  assert.deepEqual([sha, changes_count, detailed_merge_status], [head, '1', 'mergeable']);
  const next = await project.commit({ 'b.txt': 'b' }, { branch: 'work' });
  assert.equal((await shown(1)).sha, next);
  const made = { title: 'Next', source_branch: 'main', target_branch: 'work' };
  assert.equal((await expectSuccess(owner.post(`${project.at}/merge_requests`, made))).body.iid, 4);
});

test('shows the diff of a merged merge request and closes no mentioned issues', async () => {
  const { project, of, shown, head, base } = await importing();
  const made = await expectSuccess(
    owner.post(`${project.at}/merge_requests`, { title: 'Own', source_branch: 'work', target_branch: 'main' }),
  );
  const merged = await expectSuccess(owner.put(`${project.at}/merge_requests/${made.body.iid}/merge`));
  await here.runJobs();
  const { merge_commit_sha } = merged.body;
  const past = {
    state: 'merged',
    merged_at: '2020-02-01T00:00:00.000Z',
    merge_user: AUTHOR,
    merge_commit_sha,
    sha: head,
  };
  const issue = { id: 3, iid: 3, title: 'Bug', state: 'opened', labels: [], author: AUTHOR, ...TIMES };
  assert.deepEqual(await of.importElements(issues, [issue]), []);
  assert.deepEqual(await of.importElements(mergeRequests, [mergeRequestOf(9, past)]), []);
  await here.runJobs();
  const one = await shown(9);
  const { state, merged_at, merge_commit_sha: merge } = one;
  assert.deepEqual(
    [state, merged_at, merge, one.merge_user.id],
    ['merged', past.merged_at, merge_commit_sha, developer.id],
  );
  assert.deepEqual([one.changes_count, one.diff_refs.base_sha], ['1', base]);
  assert.equal((await owner.get(`${project.at}/issues/3`)).body.state, 'opened');
  const closers = (await owner.get(`${project.at}/issues/3/closed_by`)).body;
  assert.deepEqual(
    closers.map(({ iid }: { iid: number }) => iid),
    [9],
  );
});

test('imports the notes of a merge request without notifications', async () => {
  const { project, of } = await importing();
  const feed = async () => (await owner.get(`${project.at}/events`)).body.length;
  const before = await feed();
  const note = { id: 1, body: 'Good', author: STRANGER, system: false, ...TIMES };
  assert.deepEqual(
    await of.importElements(mergeRequests, [mergeRequestOf(1)], () => [note, { ...note, id: 2, system: true }]),
    [],
  );
  const { body } = await owner.get(`${project.at}/merge_requests/1/notes`, { sort: 'asc' });
  assert.deepEqual(
    body.map((one: Record<string, unknown>) => [one.body, one.system]),
    [
      ['*Created by: Grace (@grace)*\n\nGood', false],
      ['*Created by: Grace (@grace)*\n\nGood', true],
    ],
  );
  assert.deepEqual(
    [await feed(), (await owner.get(`${project.at}/merge_requests/1`)).body.user_notes_count],
    [before, 1],
  );
  const listed = await owner.get('/merge_requests', { scope: 'all', author_id: developer.id, project_id: project.id });
  assert.ok(listed.body.some((one: Record<string, unknown>) => one.imported === true && one.project_id === project.id));
});

test('replaces the default protection rule by the rules of the source', async () => {
  const { project, of } = await importing();
  const role = (access_level: number) => ({ id: 4, access_level, user_id: null, group_id: null });
  const somebody = { access_level: 40, user_id: 5 };
  const rules = [
    {
      ...{ id: 1, name: 'release/*', allow_force_push: true, unprotect_access_levels: [] },
      ...{ push_access_levels: [role(0), somebody], merge_access_levels: [role(30), role(40), role(7)] },
    },
    {
      id: 2,
      name: 'main',
      push_access_levels: [somebody],
      merge_access_levels: [{ deploy_key_id: 3, access_level: 40 }],
    },
    { id: 3, name: ' ' },
    { id: 4, name: 'main' },
  ];
  assert.deepEqual(await of.importElements(protectedBranches, rules), ['invalid', 'invalid']);
  const { body } = await owner.get(`${project.at}/protected_branches`);
  const roles = (levels: { access_level: number }[]) => levels.map(({ access_level }) => access_level);
  const shown = body.map((one: Record<string, never>) => [
    ...[one.name, one.allow_force_push, roles(one.push_access_levels!), roles(one.merge_access_levels!)],
    roles(one.unprotect_access_levels!),
  ]);
  assert.deepEqual(shown, [
    ['release/*', true, [0], [30, 40], []],
    ['main', false, [40], [40], []],
  ]);
});

test('deletes the default protection rule if the source has no rules', async () => {
  const { project, of } = await importing();
  assert.equal((await owner.get(`${project.at}/protected_branches`)).body.length, 1);
  await of.importElements(protectedBranches, []);
  assert.deepEqual((await owner.get(`${project.at}/protected_branches`)).body, []);
});

test('imports name, URL, tier and state of an environment', async () => {
  const { project, of } = await importing();
  const elements = [
    { id: 1, name: 'review/a', slug: 'other', external_url: 'https://a.test', tier: 'staging', state: 'stopped' },
    { id: 2, name: 'production', state: 'stopping', external_url: null },
    { id: 3, name: 'production' },
    { id: 4, name: 'ö' },
    { id: 5, name: 'js', external_url: 'javascript:alert(1)' },
  ];
  assert.deepEqual(await of.importElements(environments, elements), ['invalid', 'invalid', 'invalid']);
  const { body } = await owner.get(`${project.at}/environments`);
  const shown = body.map((one: Record<string, unknown>) => [one.name, one.external_url, one.tier, one.state]);
  assert.deepEqual(shown, [
    ['review/a', 'https://a.test', 'staging', 'stopped'],
    ['production', null, 'production', 'stopped'],
  ]);
});
