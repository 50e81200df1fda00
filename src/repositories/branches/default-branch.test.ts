import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { isFailure } from '#runtime/failure.ts';
import { basic } from '#test/examples/scene.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { completeIntent } from '../ref-updates/complete-intent.ts';
import { beginMove, discardIntent } from '../ref-updates/move-refs.ts';
import { getRepository } from '../repository.ts';

// The database row determines the default branch, which cannot be deleted (contract/repository.md §2).

const { server, newProject, runJobs } = await world();
const { services } = server;

/** Creates a project with the different branches `main` and `next`. */
async function given() {
  const project = await newProject();
  await project.commit({ 'a.txt': 'main' });
  const tip = await project.commit({ 'a.txt': 'next' }, { branch: 'next' });
  const location = await services.database.reader
    .selectFrom('repositories')
    .select(['project_id as id', 'storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  return { ...project, tip, place: location };
}

const makeDefault = ({ owner, at }: Project) => owner.put(at, { default_branch: 'next' });

/** Returns the error; null on success. */
async function deleteByPush({ owner, path_with_namespace, tip }: Project & { tip: string }): Promise<string | null> {
  const line = `${tip} ${ZERO_ID} refs/heads/next\0 report-status side-band-64k`;
  const raw = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
  const headers = { ...basic(owner), 'Content-Type': 'application/x-git-receive-pack-request' };
  const { text } = await owner.send('POST', `//${path_with_namespace}.git/git-receive-pack`, { raw, headers });
  return text.includes('ok refs/heads/next') ? null : text;
}

test('exactly one of a default branch change and the deletion of that branch succeeds', async () => {
  for (let round = 0; round < 12; round++) {
    const project = await given();
    const remove = () => project.owner.delete(`${project.repository}/branches/next`);
    const requests = round % 2 === 0 ? [makeDefault(project), remove()] : [remove(), makeDefault(project)];
    const statuses = (await Promise.all(requests)).map(({ status }) => status).sort();
    assert.ok(['200,400', '204,400'].includes(String(statuses)), String(statuses));
    const { body } = await project.owner.get(project.at);
    const { status } = await project.owner.get(`${project.repository}/branches/${body.default_branch}`);
    assert.equal(status, 200, `the default branch ${body.default_branch} is gone`);
  }
  await runJobs();
});

test('exactly one of a default branch change and a push that deletes that branch succeeds', async () => {
  for (let round = 0; round < 6; round++) {
    const project = await given();
    const [made, pushed] = await Promise.all([makeDefault(project), deleteByPush(project)]);
    assert.equal(made.status === 200, pushed !== null, `${made.status} ${pushed}`);
    if (pushed !== null) assert.match(pushed, /GitLab: The default branch of a project cannot be deleted\./);
    else assert.deepEqual(made.body, { message: { base: ["Could not change HEAD: branch 'next' does not exist"] } });
  }
  await runJobs();
});

/** A pending deletion of `next`. */
async function deleting({ place, tip }: Awaited<ReturnType<typeof given>>) {
  const changes = [{ ref: 'refs/heads/next', oldId: tip, newId: ZERO_ID }];
  const intent = await beginMove(services, { project: place, actor: { server: true, userId: null }, changes });
  assert.ok(!isFailure(intent));
  return { changes, intent };
}

test('changing the default branch waits for a pending deletion', async () => {
  const [kept, gone] = [await given(), await given()];
  const [notMoved, moved] = [await deleting(kept), await deleting(gone)];
  const [asked, alsoAsked] = [makeDefault(kept), makeDefault(gone)];
  assert.equal((await expectSuccess(kept.owner.get(kept.at))).body.default_branch, 'main');
  await discardIntent(services, notMoved.intent);
  assert.deepEqual(await updateRefs(services.git, getRepository(services.git, gone.place), moved.changes), {
    ok: true,
  });
  await completeIntent(services, moved.intent, moved.changes);
  assert.deepEqual([(await asked).status, (await alsoAsked).status], [200, 400]);
  await runJobs();
});

test('HEAD resolves to the default branch of the row before the file HEAD is updated', async () => {
  const { id, owner, repository } = await given();
  const read = async () => [
    (await owner.get(`${repository}/files/a.txt/raw`)).text,
    (await owner.get(`${repository}/files/a.txt`, { ref: 'HEAD' })).body.content,
    (await owner.get(`${repository}/commits`)).body.length,
  ];
  assert.deepEqual(await read(), ['main', Buffer.from('main').toString('base64'), 1]);
  await services.database.transaction((tx) =>
    tx
      .updateTable('repositories')
      .set((eb) => ({ default_branch: 'next', ref_state_version: eb('ref_state_version', '+', 1) }))
      .where('project_id', '=', id)
      .execute(),
  );
  assert.deepEqual(await read(), ['next', Buffer.from('next').toString('base64'), 2]);
});

test('a project deleted before its first branch is recorded leaves no intent', async () => {
  const { id, owner, at } = await newProject();
  const [place] = await services.database.reader
    .selectFrom('repositories')
    .selectAll()
    .where('project_id', '=', id)
    .execute();
  assert.ok(place);
  const changes = [{ ref: 'refs/heads/main', oldId: ZERO_ID, newId: 'a'.repeat(40) }];
  const intent = await beginMove(services, {
    project: { ...place, id },
    actor: { server: true, userId: owner.id },
    changes,
  });
  assert.ok(!isFailure(intent));
  const runUnitOfWork: RunUnitOfWork = async (by, uow, options) => {
    await services.database.transaction((tx) => tx.deleteFrom('projects').where('id', '=', id).execute());
    return services.runUnitOfWork(by, uow, options);
  };
  await completeIntent({ ...services, runUnitOfWork }, intent, changes);
  assert.equal((await owner.get(at)).status, 404);
  await runJobs();
});
