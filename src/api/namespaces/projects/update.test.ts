import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRecordedSince, markRecordedEvents } from '#activity/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { findHeadBranch } from '#git/refs/refs.ts';
import { enqueue } from '#jobs/job.ts';
import { getRepository } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import { world } from '#test/support/world.ts';
import { projectAttributeNames } from './attributes/attributes.ts';
import { syncHeadJob, updateProjectAttributes } from './update.ts';

const { newProject } = await world();

test('requires at least one attribute and names all of them in the error', async () => {
  const { project, owner } = await world({ project: {} });
  const answer = await owner.put(project.at, { nonsense: 1 });
  assert.equal(answer.status, 400);
  const { error } = answer.body;
  assert.equal(
    error,
    `${projectAttributeNames.join(', ')}, import_url are missing, at least one parameter must be provided`,
  );
  assert.match(error, /^name, path, description, visibility, topics, tag_list, default_branch, issues_enabled, /);
});

/** The input and the resulting value. */
const STORED_VALUES: [Record<string, unknown>, Record<string, unknown>][] = [
  [{ description: 'New' }, { description: 'New', description_html: '<p dir="auto">New</p>' }],
  [{ description: null }, { description: null }],
  [{ topics: ['b', ' a ', 'b', ''] }, { topics: ['b', 'a'], tag_list: ['b', 'a'] }],
  [{ tag_list: 'c,d' }, { topics: ['c', 'd'] }],
  [{ tag_list: 'old', topics: 'new' }, { topics: ['new'] }],
  [{ topics: '' }, { topics: [] }],
  [{ issues_enabled: false }, { issues_enabled: false, issues_access_level: 'disabled' }],
  [{ issues_access_level: 'private' }, { issues_enabled: true, issues_access_level: 'private' }],
  [{ jobs_enabled: 'no' }, { jobs_enabled: false, builds_access_level: 'disabled' }],
  [{ jobs_enabled: false, builds_access_level: 'enabled' }, { jobs_enabled: true }],
  [{ forking_access_level: 'disabled' }, { forking_access_level: 'disabled' }],
  [{ lfs_enabled: false }, { lfs_enabled: false }],
  [{ public_builds: false }, { public_jobs: false }],
  [{ emails_disabled: true }, { emails_disabled: true, emails_enabled: false }],
  [{ emails_enabled: true }, { emails_disabled: false, emails_enabled: true }],
  [
    { merge_method: 'ff', squash_option: 'always' },
    { merge_method: 'ff', squash_option: 'always' },
  ],
  [
    { merge_method: null, squash_option: 'never' },
    { merge_method: 'ff', squash_option: 'never' },
  ],
  [{ allow_merge_on_skipped_pipeline: true }, { allow_merge_on_skipped_pipeline: true }],
  [{ allow_merge_on_skipped_pipeline: null }, { allow_merge_on_skipped_pipeline: null }],
  [{ ci_config_path: 'ci/x.yml' }, { ci_config_path: 'ci/x.yml' }],
  [{ ci_config_path: '' }, { ci_config_path: null }],
  [
    { build_timeout: 600, ci_default_git_depth: 0 },
    { build_timeout: 600, ci_default_git_depth: 0 },
  ],
];

test('stores and returns every attribute', async () => {
  const { user } = await world();
  const owner = await user();
  const { id } = await newProject({ owner });
  for (const [params, wanted] of STORED_VALUES) {
    const answer = await owner.put(`/projects/${id}`, params);
    assert.equal(answer.status, 200, answer.text);
    const read = await owner.get(`/projects/${id}`);
    for (const [name, value] of Object.entries(wanted)) {
      assert.deepEqual(answer.body[name], value, `${JSON.stringify(params)}: ${name}`);
      assert.deepEqual(read.body[name], value);
    }
  }
});

test('returns the number of issues only where issues are enabled', async () => {
  const { project, owner } = await world({ project: {} });
  const { id } = project;
  const disabled = await owner.put(`/projects/${id}`, { issues_enabled: false });
  assert.equal('open_issues_count' in disabled.body, false);
  assert.equal((await owner.put(`/projects/${id}`, { issues_enabled: true })).body.open_issues_count, 0);
});

test('stores nothing for an attribute that is reset to its default', async () => {
  const { user, server } = await world();
  const owner = await user();
  const { id } = await newProject({ owner, merge_method: 'ff', build_timeout: 700 });
  const stored = async () =>
    (
      await server.services.database.reader.selectFrom('projects').select('attributes').where('id', '=', id).execute()
    )[0]?.attributes;
  assert.equal(await stored(), '{"build_timeout":700,"merge_method":"ff"}');
  await owner.put(`/projects/${id}`, { merge_method: 'merge', build_timeout: 3600 });
  assert.equal(await stored(), '{}');
});

test('lets Maintainers read and update settings, and Owners the visibility', async () => {
  const { user, root } = await world();
  const [owner, maintainer, developer, stranger] = [await user(), await user(), await user(), await user()];
  const project = await newProject({ owner, readme: true });
  const path = project.at;
  await project.addMember('maintainer', maintainer);
  await project.addMember('developer', developer);
  for (const name of ['build_timeout', 'ci_default_git_depth', 'group_runners_enabled', 'ci_job_token_scope_enabled']) {
    assert.equal(name in (await maintainer.get(path)).body, true, name);
    assert.equal(name in (await developer.get(path)).body, false, name);
  }
  assert.equal((await maintainer.put(path, { description: 'x' })).status, 200);
  assert.deepEqual((await developer.put(path, { description: 'y' })).body, { message: '403 Forbidden' });
  assert.equal((await stranger.put(path, { description: 'y' })).status, 404);
  const guest = await project.addMember('guest');
  assert.equal((await guest.get(path)).body.readme_url, null);
  assert.equal((await developer.get(path)).body.readme_url, `${project.web_url}/-/blob/main/README.md`);
  assert.deepEqual(
    [(await guest.get(path)).body, (await developer.get(path)).body].map((body) => body.can_create_merge_request_in),
    [false, true],
  );
  const change = { visibility: 'public', description: 'z' };
  assert.deepEqual((await maintainer.put(path, change)).body, { message: '403 Forbidden' });
  const after = (await owner.get(path)).body;
  assert.deepEqual([after.visibility, after.description], ['private', 'x']);
  assert.equal((await owner.put(path, change)).body.visibility, 'public');
  assert.equal((await root.put(path, { visibility: 'internal' })).body.visibility, 'internal');
  assert.equal((await (await world()).anonymous.put(path, {})).status, 401);
});

test("rejects a visibility above the group's", async () => {
  const { group, owner } = await world({ group: {} });
  const project = await newProject({ in: group });
  const answer = await owner.put(project.at, { visibility: 'public' });
  const message = { visibility_level: ['public is not allowed in a private group.'] };
  assert.deepEqual([answer.status, answer.body], [400, { message }]);
});

test('rejects names and paths that are taken on rename', async () => {
  const { user } = await world();
  const owner = await user();
  const one = await newProject({ owner, name: 'One', path: 'one' });
  await newProject({ owner, name: 'Two', path: 'two' });
  const taken = ['has already been taken'];
  const both = await owner.put(one.at, { name: 'TWO', path: 'TWO', description: 'x' });
  assert.deepEqual([both.status, both.body], [400, { message: { name: taken, path: taken } }]);
  assert.deepEqual((await owner.get(one.at)).body.description, null);
  const own = await owner.put(one.at, { name: 'ONE', path: 'ONE' });
  assert.equal(own.body.path_with_namespace, `${owner.username}/ONE`);
});

test('records changes of audited attributes', async () => {
  const { project, owner, server } = await world({ project: {} });
  const db = server.services.database.reader;
  const mark = await markRecordedEvents(db);
  const changes = { name: 'Other', path: 'other-path', description: 'd', visibility: 'public', lfs_enabled: false };
  await owner.put(project.at, changes);
  await owner.put(project.at, changes);
  assert.deepEqual(await listRecordedSince(db, mark), [
    'project_name_updated',
    'project_path_updated',
    'project_description_updated',
    'project_visibility_level_updated',
  ]);
});

test('records the old and the new value of a change', async () => {
  const { project, owner, server } = await world({ project: {} });
  const db = server.services.database.reader;
  const mark = await markRecordedEvents(db);
  await owner.put(project.at, { name: 'Other', path: 'other-path', description: 'd', visibility: 'public' });
  const rows = await db
    .selectFrom('audit_events')
    .select('details')
    .where('id', '>', mark.audit_events)
    .orderBy('id')
    .execute();
  const details = rows.map((row) => JSON.parse(row.details));
  assert.deepEqual(
    details.map(({ custom_message }) => custom_message),
    [
      `Changed name from ${project.name} to Other`,
      `Changed path from ${project.path} to other-path`,
      'Changed description to d',
      'Changed visibility_level from Private to Public',
    ],
  );
  assert.equal(details[0].target_details, `${owner.username}/other-path`);
});

test('changes HEAD with the default branch, which must exist', async () => {
  const { project, owner, runJobs } = await world({ project: { readme: true } });
  const path = project.at;
  const unknown = await owner.put(path, { default_branch: 'next' });
  const base = ["Could not change HEAD: branch 'next' does not exist"];
  assert.deepEqual([unknown.status, unknown.body], [400, { message: { base } }]);
  assert.equal((await owner.get(path)).body.default_branch, 'main');
  assert.equal((await owner.post(`${path}/repository/branches`, { branch: 'next', ref: 'main' })).status, 201);
  const moved = await owner.put(path, { default_branch: 'next' });
  assert.equal(moved.body.default_branch, 'next');
  assert.equal(moved.body.readme_url, `${project.web_url}/-/blob/next/README.md`);
  const flags = (await owner.get(`${path}/repository/branches`)).body.map(
    (branch: { name: string; default: boolean }) => [branch.name, branch.default],
  );
  assert.deepEqual(flags, [
    ['main', false],
    ['next', true],
  ]);
  const { server } = await world();
  const { reader } = server.services.database;
  const storedLocation = await reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  assert.equal(await findHeadBranch(getRepository(server.services.git, storedLocation)), 'next');
  await runJobs();
});

test('updates HEAD by a job if the request did not', async () => {
  const { user, server, runJobs } = await world();
  const owner = await user();
  const { id } = await newProject({ owner, readme: true });
  const { database, git } = server.services;
  await database.transaction(async (tx) => {
    await tx.updateTable('repositories').set({ default_branch: 'other' }).where('project_id', '=', id).execute();
    await enqueue(tx, syncHeadJob, { projectId: id });
  });
  await runJobs();
  const storedLocation = await database.reader
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', id)
    .executeTakeFirstOrThrow();
  assert.equal(await findHeadBranch(getRepository(git, storedLocation)), 'other');
});

test('ignores administrator attributes from other callers and hides them', async () => {
  const { project, owner, root } = await world({ project: { readme: true } });
  const path = project.at;
  const ignored = await owner.put(path, { repository_read_only: true, repository_storage: 'nowhere' });
  assert.equal(ignored.status, 200);
  assert.equal('repository_read_only' in ignored.body, false);
  assert.equal((await root.get(path)).body.repository_read_only, false);
  const unknown = await root.put(path, { repository_storage: 'nowhere' });
  assert.deepEqual([unknown.status, unknown.body], [400, { message: { repository_storage_moves: ['is invalid'] } }]);
  assert.equal((await root.put(path, { repository_read_only: true })).body.repository_read_only, true);
  const branch = await owner.post(`${path}/repository/branches`, { branch: 'x', ref: 'main' });
  const readOnly = 'The repository is temporarily read-only. Please try again later.';
  assert.deepEqual([branch.status, branch.body], [400, { message: readOnly }]);
  assert.deepEqual((await owner.put(path, { default_branch: 'x' })).body, { message: readOnly });
  assert.equal((await root.put(path, { repository_read_only: false })).body.repository_read_only, false);
});

test('keeps concurrent changes', async () => {
  const { user, server } = await world();
  const owner = await user();
  const { id } = await newProject({ owner });
  const { services } = server;
  const seen = await findProject(services.database.reader, ANONYMOUS, String(id));
  assert.ok(seen);
  for (const change of [
    { merge_method: 'ff' },
    { path: 'other' },
    { name: 'Other' },
    { squash_option: 'always' },
  ] as const) {
    assert.equal(isFailure(await updateProjectAttributes(services, ANONYMOUS, seen, change)), false);
  }
  const { body } = await owner.get(`/projects/${id}`);
  assert.deepEqual([body.merge_method, body.squash_option, body.path, body.name], ['ff', 'always', 'other', 'Other']);
  assert.equal(body.name_with_namespace, `Name of ${owner.username} / Other`);
});

test('accepts another storage only for a writable repository', async () => {
  const storages = JSON.stringify({ default: { path: 'one' }, other: { path: 'two' } });
  const { root, user, name, runJobs } = await world({ env: { HEARTH_STORAGES: storages } });
  const owner = await user();
  const created = await owner.post('/projects', { name: name('stored') });
  const path = `/projects/${created.body.id}`;
  const own = (await root.get(path)).body.repository_storage;
  const elsewhere = { repository_storage: own === 'other' ? 'default' : 'other' };
  assert.equal((await root.put(path, { repository_storage: own })).status, 200);
  await root.put(path, { repository_read_only: true });
  const refused = await root.put(path, elsewhere);
  assert.deepEqual([refused.status, refused.body], [400, { message: { repository_storage_moves: ['is invalid'] } }]);
  await root.put(path, { repository_read_only: false });
  assert.equal((await root.put(path, { ...elsewhere, repository_read_only: true })).status, 400);
  assert.equal((await root.put(path, elsewhere)).status, 200);
  const meanwhile = await root.put(path, { repository_read_only: false });
  assert.deepEqual(meanwhile.body, { message: 'The repository is temporarily read-only. Please try again later.' });
  await runJobs();
  assert.equal((await root.get(path)).body.repository_storage, elsewhere.repository_storage);
});
