import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPipelineFixture } from '#api/pipelines/processing/fixtures.testing.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

// What ends with branches and merge requests (contract/environments.md Part 5).

const here = await world();
const { newProject, runJobs } = here;

async function withBranch() {
  const project = await newProject({ readme: true, with: ['developer', 'maintainer'] });
  const made = await expectSuccess(
    project.developer.post(`${project.repository}/branches`, { branch: 'topic', ref: 'main' }),
  );
  return { project, sha: made.body.commit.id as string };
}

/** Has been deployed to an environment of this name, from this ref. */
async function deploy(project: Project, environment: string, ref: string, sha: string): Promise<void> {
  const row = { environment, user_id: project.owner.id };
  const pipeline = await createPipelineFixture(here, project, { [environment]: { row } }, { ref, sha });
  await pipeline.runJob(environment, 'success');
}

const statesOf = async (project: Project) =>
  Object.fromEntries(
    (await project.owner.get(`${project.at}/environments`)).body.map((one: { name: string; state: string }) => [
      one.name,
      one.state,
    ]),
  );

test('stops only environments that were last deployed from the deleted branch', async () => {
  const { project, sha } = await withBranch();
  await deploy(project, 'review/topic', 'topic', sha);
  await deploy(project, 'both', 'topic', sha);
  await deploy(project, 'both', 'main', sha);
  await deploy(project, 'other', 'main', sha);
  await expectSuccess(project.developer.delete(`${project.repository}/branches/topic`));
  await runJobs();
  assert.deepEqual(await statesOf(project), { 'review/topic': 'stopped', both: 'available', other: 'available' });
});

test('keeps environments that the user may not stop', async () => {
  const { project, sha } = await withBranch();
  await deploy(project, 'review/topic', 'topic', sha);
  const levels = [{ access_level: 40 }];
  const protection = { name: 'review/topic', deploy_access_levels: levels };
  await expectSuccess(project.maintainer.post(`${project.at}/protected_environments`, protection));
  await expectSuccess(project.developer.delete(`${project.repository}/branches/topic`));
  await runJobs();
  assert.deepEqual(await statesOf(project), { 'review/topic': 'available' });
});

test('stops environments of a closed or merged merge request', async () => {
  for (const end of ['close', 'merge']) {
    const { project } = await withBranch();
    const commit = {
      branch: 'topic',
      commit_message: 'Add',
      actions: [{ action: 'create', file_path: 'a', content: 'a' }],
    };
    const sha = (await expectSuccess(project.developer.post(`${project.repository}/commits`, commit))).body.id;
    const params = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
    const { iid } = (await expectSuccess(project.developer.post(`${project.at}/merge_requests`, params))).body;
    await deploy(project, 'review/topic', 'topic', sha);
    await deploy(project, 'elsewhere', 'topic', 'b'.repeat(40));
    await runJobs();
    const at = `${project.at}/merge_requests/${iid}`;
    if (end === 'close') await expectSuccess(project.maintainer.put(at, { state_event: 'close' }));
    else await expectSuccess(project.maintainer.put(`${at}/merge`, { should_remove_source_branch: false }));
    await runJobs();
    assert.deepEqual(await statesOf(project), { 'review/topic': 'stopped', elsewhere: 'available' }, end);
  }
});

test('stops nothing for a merge request from a protected branch', async () => {
  const { project, sha } = await withBranch();
  await expectSuccess(project.owner.post(`${project.at}/protected_branches`, { name: 'stable' }));
  await expectSuccess(project.owner.post(`${project.repository}/branches`, { branch: 'stable', ref: 'main' }));
  await deploy(project, 'production', 'stable', sha);
  const params = { source_branch: 'stable', target_branch: 'topic', title: 'Back' };
  const { iid } = (await expectSuccess(project.owner.post(`${project.at}/merge_requests`, params))).body;
  await expectSuccess(project.owner.put(`${project.at}/merge_requests/${iid}`, { state_event: 'close' }));
  await runJobs();
  assert.deepEqual(await statesOf(project), { production: 'available' });
});
