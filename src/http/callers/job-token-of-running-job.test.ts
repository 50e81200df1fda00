import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { world } from '#test/support/world.ts';

// A job acts as its user within its own project (contract/conventions.md §7 "Job tokens").

const here = await world();
const { anonymous, server } = here;

const branches = ({ repository }: { readonly repository: string }) => `${repository}/branches`;

test('a running job reads its private project, by the header and by the parameter', async () => {
  const project = await here.newProject({ readme: true });
  const { token, headers } = await runningJob(here, project);
  assert.equal((await anonymous.get(branches(project), {}, headers)).status, 200);
  assert.equal((await anonymous.get(branches(project), { job_token: token })).status, 200);
  assert.equal((await anonymous.get(`${project.repository}/files/README.md/raw`, {}, headers)).status, 200);
});

test('a job token works as a bearer token only on routes that accept job tokens', async () => {
  const project = await here.newProject({ readme: true });
  const { id, token } = await runningJob(here, project);
  const bearer = { Authorization: `Bearer ${token}` };
  assert.equal((await anonymous.get(branches(project), {}, bearer)).status, 200);
  assert.equal((await anonymous.get('/job', {}, bearer)).body.id, id);
  for (const path of [`${branches(project)}/main`, '/projects', '/user']) {
    assert.equal((await anonymous.get(path, {}, bearer)).status, 401, path);
  }
  const unknown = await anonymous.get(branches(project), {}, { Authorization: 'Bearer glcbt-x' });
  assert.deepEqual([unknown.status, unknown.body], [401, { message: '401 Unauthorized' }]);
});

test('rejects the token of a finished job or of a blocked user', async () => {
  const project = await here.newProject({ readme: true });
  const { id, headers } = await runningJob(here, project);
  await server.services.database.transaction((tx) =>
    tx.updateTable('jobs').set({ status: 'success' }).where('id', '=', id).execute(),
  );
  assert.equal((await anonymous.get(branches(project), {}, headers)).status, 401);
  const other = await runningJob(here, project);
  await here.root.post(`/users/${project.owner.id}/block`);
  const blocked = await anonymous.get(branches(project), {}, other.headers);
  assert.deepEqual(
    [blocked.status, blocked.body],
    [403, { message: '403 Forbidden - Your account has been blocked.' }],
  );
});

test('a job token cannot access another private project, regardless of the rights of its user', async () => {
  const project = await here.newProject({ readme: true });
  const other = await here.newProject({ readme: true, owner: project.owner });
  const { headers } = await runningJob(here, project);
  const refused = await anonymous.get(branches(other), {}, headers);
  const from = `Authentication by CI/CD job token not allowed from ${project.path_with_namespace}`;
  assert.equal(refused.status, 403);
  assert.deepEqual(refused.body, { message: `403 Forbidden - ${from} to project #${other.id}.` });
  const missing = await anonymous.get('/projects/999999/repository/branches', {}, headers);
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Project Not Found' }]);
});

test('a job token has only anonymous rights in another public project', async () => {
  const project = await here.newProject({ readme: true });
  const members = { repository_access_level: 'private', readme: true, visibility: 'public', owner: project.owner };
  const [open, closed] = [
    await here.newProject({ readme: true, visibility: 'public' }),
    await here.newProject(members),
  ];
  const { headers } = await runningJob(here, project);
  assert.equal((await anonymous.get(branches(open), {}, headers)).status, 200);
  assert.ok((await anonymous.get(branches(closed), {}, headers)).status >= 400);
});

test('the job of an administrator has Owner rights in its project and no administrator rights elsewhere', async () => {
  const [project, other] = [await here.newProject({ readme: true }), await here.newProject({ readme: true })];
  const { headers } = await runningJob(here, { id: project.id, owner: here.root });
  assert.equal((await anonymous.get(branches(project), {}, headers)).status, 200);
  assert.equal((await anonymous.get(branches(other), {}, headers)).status, 403);
  const sudo = await anonymous.get(branches(project), { sudo: project.owner.username }, headers);
  assert.deepEqual([sudo.status, sudo.body], [403, { message: '403 Forbidden - Must be admin to use sudo' }]);
});
