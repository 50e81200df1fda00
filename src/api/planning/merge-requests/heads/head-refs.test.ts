import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS } from '#authentication/caller.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { listRefs } from '#git/refs/refs.ts';
import { getRepository } from '#repositories/repository.ts';
import { jobRun } from '#test/support/job-run.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { newMergeRequest } from '../fixtures.testing.ts';
import { updateHeadRefs } from './head-refs.ts';

const { server, root, newProject, runJobs, clock } = await world();
const { services } = server;

async function listKeptRefs({ owner, repository }: Project, { iid }: { readonly iid: number }) {
  const ref = encodeURIComponent(`refs/merge-requests/${iid}/head`);
  return (await owner.get(`${repository}/commits/${ref}`)).body.id;
}

test('concurrent jobs for the same head both succeed', async () => {
  const project = await newProject({ readme: true });
  const mr = await newMergeRequest(project);
  const run = jobRun();
  await Promise.all([1, 2].map(() => updateHeadRefs.handle(services, { projectId: project.id, iids: [mr.iid] }, run)));
  assert.equal(await listKeptRefs(project, mr), mr.sha);
});

test('updates head refs after the repository is writable again, without a failed attempt', async () => {
  const project = await newProject({ readme: true });
  const mr = await newMergeRequest(project);
  await expectSuccess(root.put(project.at, { repository_read_only: true }));
  await runJobs();
  const waiting = services.database.reader.selectFrom('background_jobs').select(['attempts', 'last_error']);
  assert.deepEqual(await waiting.where('kind', '=', updateHeadRefs.kind).execute(), [
    { attempts: 0, last_error: null },
  ]);
  await expectSuccess(root.put(project.at, { repository_read_only: false }));
  clock.advance(600);
  await runJobs();
  assert.equal(await listKeptRefs(project, mr), mr.sha);
});

test('deleting an author deletes the head refs of their merge requests', async () => {
  const project = await newProject({ readme: true, with: ['developer'] });
  const [gone, left] = [await newMergeRequest(project, {}, project.developer), await newMergeRequest(project)];
  await runJobs();
  assert.deepEqual([await listKeptRefs(project, gone), await listKeptRefs(project, left)], [gone.sha, left.sha]);
  await expectSuccess(root.delete(`/users/${project.developer.id}`, { hard_delete: true }));
  await runJobs();
  assert.deepEqual([await listKeptRefs(project, gone), await listKeptRefs(project, left)], [undefined, left.sha]);
});

test('heads replaced by a force push are kept until the merge request is deleted', async () => {
  const project = await newProject({ readme: true });
  const mr = await newMergeRequest(project);
  const { repository } = project;
  const parent = (await project.owner.get(`${repository}/branches/main`)).body.commit.id;
  const push = (text: string, from: string) =>
    project.commit({ 'a.txt': text }, { branch: mr.source_branch, parent: from });
  const follow = await push('followed', mr.sha);
  await runJobs();
  const [again, last] = [await push('again', parent), await push('last', parent)];
  await runJobs();
  const { directory } = getRepository(
    services.git,
    (await findProject(services.database.reader, ANONYMOUS, `${project.id}`))!,
  );
  const left = () => listRefs(services.git, { directory }, 'refs/keep-around/');
  assert.deepEqual(new Set((await left()).map(({ id }) => id)), new Set([follow, again]));
  assert.equal(await listKeptRefs(project, mr), last);
  await expectSuccess(project.owner.delete(mr.at));
  await runJobs();
  assert.deepEqual(await left(), []);
});

test('a pushed version is compared with the current head of the target branch', async () => {
  const project = await newProject({ readme: true });
  const mr = await newMergeRequest(project);
  const start = await project.commit({ 'start.txt': 'x' });
  const head = await project.commit({ 'more.txt': 'x' }, { branch: mr.source_branch });
  await runJobs();
  await project.commit({ 'later.txt': 'x' });
  const { head_sha, start_sha, base_sha } = (await expectSuccess(project.owner.get(mr.at))).body.diff_refs;
  assert.deepEqual([head_sha, start_sha, base_sha], [head, start, mr.diff_refs.base_sha]);
});
