import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeploymentFixture, deploymentRow } from '#test/support/deployment-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { deleteEnvironment } from './changes.ts';

// What goes with an environment (contract/environments.md "DELETE"), seen in the rows.

const here = await world({ project: { readme: true } });
const { project, owner, server } = here;
const { database, runUnitOfWork } = server.services;

async function stoppedEnvironment(name: string) {
  const { body } = await expectSuccess(owner.post(`${project.at}/environments`, { name }));
  return { id: body.id as number, name, at: `${project.at}/environments/${body.id}` };
}

const deploymentsOf = async (id: number) =>
  (await database.reader.selectFrom('deployments').select('id').where('environment_id', '=', id).execute()).length;

test('deletes deployments with their environment and keeps their jobs', async () => {
  const environment = await stoppedEnvironment('review/a');
  const { deploy } = await createDeploymentFixture(here, project, environment);
  await expectSuccess(owner.post(`${environment.at}/stop`, { force: true }));
  assert.equal((await owner.delete(environment.at)).status, 204);
  assert.equal(await deploymentsOf(environment.id), 0);
  assert.equal((await owner.get(`${project.at}/jobs/${deploy}`)).status, 200);
});

test('deletes very many deployments in batches, and stops if the environment is deployed to again', async () => {
  const environment = await stoppedEnvironment('review/b');
  const first = await deploymentRow(here, project, environment);
  await database.transaction(async (tx) => {
    const row = await tx.selectFrom('deployments').selectAll().where('id', '=', first).executeTakeFirstOrThrow();
    const { id, iid, ...rest } = row;
    const rows = Array.from({ length: 600 }, (_, at) => ({ ...rest, iid: iid + 1000 + at }));
    for (const some of [rows.slice(0, 300), rows.slice(300)]) await tx.insertInto('deployments').values(some).execute();
  });
  const key = { id: environment.id, project_id: project.id };
  const by = { user: null, token: null, address: null };
  assert.equal((await deleteEnvironment(runUnitOfWork, by, key))?.code, 'notStopped');
  assert.equal(await deploymentsOf(environment.id), 601);
  await expectSuccess(owner.post(`${environment.at}/stop`));
  assert.equal((await owner.delete(environment.at)).status, 204);
  assert.equal(await deploymentsOf(environment.id), 0);
});

test('deletes environments with their project', async () => {
  const other = await here.newProject({});
  const { body } = await expectSuccess(other.owner.post(`${other.at}/environments`, { name: 'a' }));
  await deploymentRow(here, other, body);
  await expectSuccess(other.owner.delete(other.at));
  const full_path = (await other.owner.get(other.at)).body.path_with_namespace;
  await expectSuccess(other.owner.delete(other.at, { permanently_remove: true, full_path }));
  await here.runJobs();
  assert.equal(await deploymentsOf(body.id), 0);
  const left = database.reader.selectFrom('environments').select('id').where('project_id', '=', other.id);
  assert.deepEqual(await left.execute(), []);
});
