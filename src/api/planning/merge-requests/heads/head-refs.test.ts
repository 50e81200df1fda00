import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { listRefs } from '#git/refs/refs.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { jobRun } from '#test/support/job-run.ts';
import { done, type Project, world } from '#test/support/world.ts';
import { newMergeRequest } from '../fixtures.testing.ts';
import { keepHeads } from './head-refs.ts';

const { server, root, newProject, work, clock } = await world();
const { services } = server;

async function kept({ owner, repository }: Project, { iid }: { readonly iid: number }) {
  const ref = encodeURIComponent(`refs/merge-requests/${iid}/head`);
  return (await owner.get(`${repository}/commits/${ref}`)).body.id;
}

test('two who keep the same head at once both have it kept', async () => {
  const project = await newProject({ readme: true });
  const mr = await newMergeRequest(project);
  const run = jobRun();
  await Promise.all([1, 2].map(() => keepHeads.handle(services, { projectId: project.id, iids: [mr.iid] }, run)));
  assert.equal(await kept(project, mr), mr.sha);
});

test('heads that came in a read-only repository are kept when it can be written again, without an attempt lost', async () => {
  const project = await newProject({ readme: true });
  const mr = await newMergeRequest(project);
  await done(root.put(project.at, { repository_read_only: true }));
  await work();
  const waiting = services.database.reader.selectFrom('background_jobs').select(['attempts', 'last_error']);
  assert.deepEqual(await waiting.where('kind', '=', keepHeads.kind).execute(), [{ attempts: 0, last_error: null }]);
  await done(root.put(project.at, { repository_read_only: false }));
  clock.advance(600);
  await work();
  assert.equal(await kept(project, mr), mr.sha);
});

test('the heads of merge requests that go with their author go too', async () => {
  const project = await newProject({ readme: true, with: ['developer'] });
  const [gone, left] = [await newMergeRequest(project, {}, project.developer), await newMergeRequest(project)];
  await work();
  assert.deepEqual([await kept(project, gone), await kept(project, left)], [gone.sha, left.sha]);
  await done(root.delete(`/users/${project.developer.id}`, { hard_delete: true }));
  await work();
  assert.deepEqual([await kept(project, gone), await kept(project, left)], [undefined, left.sha]);
});

test('what a force push takes off the head stays there for older versions, and goes with the merge request', async () => {
  const project = await newProject({ readme: true });
  const mr = await newMergeRequest(project);
  const { repository } = project;
  const parent = (await project.owner.get(`${repository}/branches/main`)).body.commit.id;
  const push = (text: string, from: string) =>
    project.commit({ 'a.txt': text }, { branch: mr.source_branch, parent: from });
  const follow = await push('followed', mr.sha);
  await work();
  const [again, last] = [await push('again', parent), await push('last', parent)];
  await work();
  const { directory } = repositoryOf(
    services.git,
    (await findProject(services.database.reader, ANONYMOUS, `${project.id}`))!,
  );
  const left = () => listRefs(services.git, { directory }, 'refs/keep-around/');
  assert.deepEqual(new Set((await left()).map(({ id }) => id)), new Set([follow, again]));
  assert.equal(await kept(project, mr), last);
  await done(project.owner.delete(mr.at));
  await work();
  assert.deepEqual(await left(), []);
});

test('a pushed version is compared with the tip that its target branch has just then', async () => {
  const project = await newProject({ readme: true });
  const mr = await newMergeRequest(project);
  const start = await project.commit({ 'start.txt': 'x' });
  const head = await project.commit({ 'more.txt': 'x' }, { branch: mr.source_branch });
  await work();
  await project.commit({ 'later.txt': 'x' });
  const { head_sha, start_sha, base_sha } = (await done(project.owner.get(mr.at))).body.diff_refs;
  assert.deepEqual([head_sha, start_sha, base_sha], [head, start, mr.diff_refs.base_sha]);
});
