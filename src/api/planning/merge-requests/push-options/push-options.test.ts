import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createWorkingCopy } from '#git/transport/client.testing.ts';
import { type Caller, expectSuccess, type Project, world } from '#test/support/world.ts';
import { succeedPipeline } from '../fixtures.testing.ts';

// Push options for merge requests, with a real git client (contract/repository.md §5 "Push options").

const here = await world();
const { newProject, runJobs, server } = here;

/** A project, a working copy of it, and a function that pushes as a caller and returns what the server says. */
async function cloneProject(t: TestContext) {
  const project = await newProject({ readme: true, with: ['developer', 'reporter'] });
  const copy = await createWorkingCopy(t);
  const urlOf = ({ token }: Caller) =>
    `${server.address.replace('http://', `http://x:${token}@`)}/${project.path_with_namespace}.git`;
  await copy.git('fetch', '-q', urlOf(project.owner), 'main');
  await copy.git('reset', '-q', '--hard', 'FETCH_HEAD');
  const push = async (caller: Caller, options: readonly string[], ...refs: readonly string[]) => {
    const flags = options.flatMap((option) => ['-o', option]);
    const { code, stderr } = await copy.tryGit('push', '-q', ...flags, urlOf(caller), ...refs);
    assert.equal(code, 0, stderr);
    return stderr
      .replace(/^remote: ?/gm, '')
      .replace(/ +$/gm, '')
      .trim();
  };
  return { ...project, copy, push };
}

async function listMergeRequests({ owner, at }: Project) {
  return (await expectSuccess(owner.get(`${at}/merge_requests`, { order_by: 'created_at', sort: 'asc' }))).body;
}

test('creates a merge request with every option and shows its address', async (t) => {
  const project = await cloneProject(t);
  const { copy, push, owner, developer, reporter, at, path_with_namespace: path } = project;
  await expectSuccess(owner.post(`${at}/milestones`, { title: 'One' }));
  await copy.commit('Work');
  await push(owner, [], 'HEAD:refs/heads/base');
  await copy.commit('More');
  const said = await push(
    developer,
    [
      'merge_request.create',
      'merge_request.target=base',
      `merge_request.target_project=${path}`,
      'merge_request.title=A = title',
      'merge_request.description=First\\nsecond',
      'merge_request.label=bug',
      'mr.label=front end',
      `merge_request.assign=${reporter.username}`,
      `merge_request.assign=${owner.id}`,
      'merge_request.milestone=One',
      'merge_request.draft',
      'merge_request.squash',
      'merge_request.remove_source_branch=false',
    ],
    'HEAD:refs/heads/topic',
  );
  const [mr] = await listMergeRequests(project);
  assert.equal(said, `View merge request for topic:\n  ${mr.web_url}`);
  assert.deepEqual(
    [mr.title, mr.description, mr.source_branch, mr.target_branch, mr.author.id, mr.labels, mr.milestone.title],
    ['Draft: A = title', 'First\nsecond', 'topic', 'base', developer.id, ['bug', 'front end'], 'One'],
  );
  assert.deepEqual([mr.draft, mr.squash, mr.force_remove_source_branch], [true, true, false]);
  assert.deepEqual(
    mr.assignees.map(({ id }: { id: number }) => id).sort(),
    [developer.id, reporter.id, owner.id].sort(),
  );
});

test('updates the open merge request of a pushed branch', async (t) => {
  const project = await cloneProject(t);
  const { copy, push, developer, reporter } = project;
  await copy.commit('Work');
  await push(developer, ['mr.create', 'mr.label=a', 'mr.label=b', 'mr.draft'], 'HEAD:refs/heads/topic');
  await copy.commit('More');
  const changes = ['title=New', 'unlabel=a', 'label=c', 'draft=false', `assign=@${reporter.username}`, 'squash'];
  const said = await push(
    developer,
    ['create', ...changes, `unassign=${developer.username}`].map((option) => `merge_request.${option}`),
    'HEAD:refs/heads/topic',
  );
  const [mr, ...others] = await listMergeRequests(project);
  assert.match(said, new RegExp(`${mr.web_url}$`));
  assert.equal(others.length, 0);
  assert.deepEqual([mr.title, mr.labels, mr.squash], ['New', ['b', 'c'], true]);
  assert.deepEqual(
    mr.assignees.map(({ id }: { id: number }) => id),
    [reporter.id],
  );
});

test('builds the texts from commits, from the issue of the branch name and from the branch name', async (t) => {
  const project = await cloneProject(t);
  const { copy, push, developer, owner, at } = project;
  await expectSuccess(owner.post(`${at}/issues`, { title: 'Door is stuck' }));
  const pushed = async (branch: string, messages: readonly string[]) => {
    await copy.git('reset', '-q', '--hard', 'FETCH_HEAD');
    for (const message of messages) await copy.commit(message);
    await push(developer, ['merge_request.create'], `HEAD:refs/heads/${branch}`);
    const { title, description } = (await listMergeRequests(project)).at(-1);
    return [title, description];
  };
  assert.deepEqual(await pushed('single', ['One\n\nBody']), ['One', 'Body']);
  assert.deepEqual(await pushed('many', ['One', 'Two\n\nBody two', 'Three\n\nBody three']), ['Two', 'Body two']);
  assert.deepEqual(await pushed('1-door', ['One', 'Two']), ['Resolve "Door is stuck"', 'Closes #1']);
  assert.deepEqual(await pushed('1-again', ['One\n\nFixes #1']), ['One', 'Fixes #1']);
  assert.deepEqual(await pushed('fix-the_Door', ['One', 'Two']), ['Fix the door', null]);
  assert.deepEqual(await pushed('nothing-new', []), ['Draft: Nothing new', null]);
});

test('warns where an option has no effect, and moves the refs in any case', async (t) => {
  const project = await cloneProject(t);
  const { copy, push, developer, path_with_namespace: path } = project;
  await copy.commit('Work');
  const cases: [options: string[], warning: RegExp][] = [
    [['mr.title=x'], /^WARNING: The branch b0 has no open merge request; merge_request.create creates one$/],
    [['mr.create=false'], /^WARNING: The branch b1 has no open merge request/],
    [['mr.create', 'mr.target=none'], /^WARNING: The target branch none does not exist$/],
    [['mr.create', `mr.target_project=${path}x`], /^WARNING: The target project .*x is not this project/],
    [['mr.create', `mr.title=${'x'.repeat(256)}`], /^WARNING: The merge request of b4 is not valid: title is too long/],
    [
      ['other.thing=1', 'mr.colour=red', 'plain'],
      /^WARNING: Unknown .*: 'other.thing', 'merge_request.colour', 'plain'$/,
    ],
    [['ci.skip', 'ci.variable=A=1'], /^$/],
  ];
  for (const [index, [options, warning]] of cases.entries())
    assert.match(await push(developer, options, `HEAD:refs/heads/b${index}`), warning);
  const many = Array.from({ length: 11 }, (_, index) => `HEAD:refs/heads/many-${index}`);
  assert.match(await push(developer, ['mr.create'], ...many), /limited to 10 branches, but 11 were pushed/);
  assert.deepEqual(await listMergeRequests(project), []);
  const { body } = await project.owner.get(`${project.repository}/branches`, { per_page: 100 });
  assert.equal(body.length, 1 + cases.length + many.length);
});

test('skips the default branch, deleted branches, and disabled merge requests', async (t) => {
  const project = await cloneProject(t);
  const { copy, push, owner, at } = project;
  await copy.commit('Work');
  await push(owner, [], 'HEAD:refs/heads/gone');
  assert.equal(await push(owner, ['mr.create'], 'HEAD:refs/heads/main', ':refs/heads/gone', 'HEAD:refs/tags/v1'), '');
  await expectSuccess(owner.put(at, { merge_requests_access_level: 'disabled' }));
  assert.match(await push(owner, ['mr.create'], 'HEAD:refs/heads/topic'), /^WARNING: Merge requests are disabled/);
});

test('auto-merge waits for the pipeline of the push', async (t) => {
  const project = await cloneProject(t);
  const { copy, push, owner, at } = project;
  await copy.commit('Work', { '.gitlab-ci.yml': 'job: {script: a}' });
  await push(owner, ['merge_request.create', 'merge_request.merge_when_pipeline_succeeds'], 'HEAD:refs/heads/topic');
  const read = async () => (await owner.get(`${at}/merge_requests/1`)).body;
  assert.equal((await read()).merge_when_pipeline_succeeds, true);
  await runJobs();
  assert.equal((await read()).state, 'opened');
  const [pipeline] = (await owner.get(`${at}/pipelines`)).body;
  await succeedPipeline(here, pipeline.id);
  await runJobs();
  assert.equal((await read()).state, 'merged');
});
