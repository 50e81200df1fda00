import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newBranch, newMergeRequest } from './fixtures.testing.ts';

const { project, owner, developer, reporter, guest, anonymous } = await world({
  project: { readme: true, with: ['developer', 'reporter', 'guest'] },
});
const at = `${project.at}/merge_requests`;

test('returns the created merge request as everybody sees it', async () => {
  const source_branch = await newBranch(project);
  const params = {
    title: 'Draft: Add words',
    source_branch,
    target_branch: 'main',
    description: '- [x] one\n- [ ] two',
  };
  const { status, body } = await developer.post(at, params);
  assert.equal(status, 201);
  assert.deepEqual((await developer.get(`${at}/${body.iid}`)).body, body);
  const tip = async (branch: string) => (await owner.get(`${project.repository}/branches/${branch}`)).body.commit.id;
  const [head_sha, base_sha] = [await tip(source_branch), await tip('main')];
  assert.deepEqual(body.diff_refs, { base_sha, head_sha, start_sha: base_sha });
  assert.deepEqual(body.references, {
    short: `!${body.iid}`,
    relative: `!${body.iid}`,
    full: `${project.path_with_namespace}!${body.iid}`,
  });
  assert.deepEqual(body.task_completion_status, { count: 2, completed_count: 1 });
  const { sha, state, draft, author, web_url, source_project_id, subscribed } = body;
  assert.deepEqual(
    { sha, state, draft, author: author.id, web_url, source_project_id, subscribed },
    {
      sha: head_sha,
      state: 'opened',
      draft: true,
      author: developer.id,
      web_url: `${project.web_url}/-/merge_requests/${body.iid}`,
      source_project_id: project.id,
      subscribed: true,
    },
  );
});

test('adds and removes labels as in an update', async () => {
  const create = async (params: object) =>
    (
      await expectSuccess(
        owner.post(at, { title: 'Labels', source_branch: await newBranch(project), target_branch: 'main', ...params }),
      )
    ).body.labels;
  assert.deepEqual(await create({ add_labels: 'one,two' }), ['one', 'two']);
  assert.deepEqual(await create({ labels: 'one,two', add_labels: ['three'], remove_labels: 'one' }), ['three', 'two']);
});

test('checks the conditions of a new merge request in order', async () => {
  const source_branch = await newBranch(project);
  const input = { title: 'Add', source_branch, target_branch: 'main' };
  const { iid } = await newMergeRequest(project, { source_branch });
  const taken = `Another open merge request already exists for this source branch: !${iid}`;
  for (const [by, params, status, body] of [
    [anonymous, input, 401, { message: '401 Unauthorized' }],
    [owner, {}, 400, { error: 'title is missing, source_branch is missing, target_branch is missing' }],
    [reporter, input, 403, { message: '403 Forbidden' }],
    [guest, input, 403, { message: '403 Forbidden' }],
    [
      owner,
      { ...input, target_project_id: 0 },
      422,
      { message: ['Source project is not a fork of the target project'] },
    ],
    [
      owner,
      { ...input, title: '', source_branch: 'main' },
      422,
      { message: ["You can't use same project/branch for source and target"] },
    ],
    [owner, { ...input, title: '' }, 409, { message: [taken] }],
    [owner, { ...input, source_branch: 'no' }, 400, { message: { source_branch: ['is invalid'] } }],
    [owner, { ...input, target_branch: '' }, 400, { message: { target_branch: ['is invalid'] } }],
    [
      owner,
      { ...input, source_branch: await newBranch(project), title: ' ' },
      400,
      { message: { title: ["can't be blank"] } },
    ],
  ] as const) {
    const refused = await by.post(at, params);
    assert.deepEqual([refused.status, refused.body], [status, body]);
  }
  assert.equal((await owner.get(`${at}/${iid + 1}`)).status, 404);
});

test('concurrent creations get consecutive iids, and one per pair of branches is open', async () => {
  const place = await world({ project: { readme: true } });
  const branch = await newBranch(place.project);
  const path = `${place.project.at}/merge_requests`;
  const make = (target_branch: string) =>
    place.owner.post(path, { title: 'Add', source_branch: branch, target_branch });
  for (const target of ['a', 'b', 'c']) {
    await expectSuccess(place.owner.post(`${place.project.repository}/branches`, { branch: target, ref: 'main' }));
  }
  const answers = await Promise.all(['a', 'b', 'c', 'a', 'b', 'c'].map(make));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 409, 409, 409]);
  const made = answers.filter(({ status }) => status === 201);
  assert.deepEqual(made.map(({ body }) => body.iid).sort(), [1, 2, 3]);
});

test('sets labels, creating new ones, milestone, and the assignees and reviewers who can see it', async () => {
  const milestone = (await expectSuccess(owner.post(`${project.at}/milestones`, { title: 'v1' }))).body;
  const { body } = await developer.post(at, {
    title: 'Add',
    source_branch: await newBranch(project),
    target_branch: 'main',
    labels: 'new, bug',
    milestone_id: milestone.id,
    assignee_ids: [developer.id, guest.id],
    reviewer_ids: [reporter.id, guest.id],
    remove_source_branch: true,
    squash: true,
  });
  assert.deepEqual(body.labels, ['bug', 'new']);
  assert.equal(body.milestone.id, milestone.id);
  assert.deepEqual(
    body.assignees.map(({ id }: { id: number }) => id),
    [developer.id],
  );
  assert.equal(body.assignee.id, developer.id);
  assert.deepEqual(
    body.reviewers.map(({ id }: { id: number }) => id),
    [reporter.id],
  );
  const { force_remove_source_branch, squash, squash_on_merge } = body;
  assert.deepEqual([force_remove_source_branch, squash, squash_on_merge], [true, true, true]);
});

test('the project setting decides about squashing', async () => {
  const place = await world({ project: { readme: true, squash_option: 'default_on' } });
  const { iid, squash } = await newMergeRequest(place.project);
  assert.equal(squash, true);
  const read = async () => (await place.owner.get(`${place.project.at}/merge_requests/${iid}`)).body.squash_on_merge;
  await expectSuccess(place.owner.put(place.project.at, { squash_option: 'never' }));
  assert.equal(await read(), false);
  await expectSuccess(place.owner.put(place.project.at, { squash_option: 'always' }));
  assert.equal(await read(), true);
});
