import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { zeroId } from '#git/refs/refs.ts';
import { updateRefs } from '#git/refs/update-refs.ts';
import { isFailure } from '#runtime/failure.ts';
import { basic } from '#test/examples/scene.ts';
import { done, type Project, world } from '#test/support/world.ts';
import { settleIntent } from '../ref-updates/complete-intent.ts';
import { beginMove, dropIntent } from '../ref-updates/move-refs.ts';
import { repositoryOf } from '../repository.ts';

// Which branch HEAD means is the row's to say, and nobody deletes that branch (contract/repository.md §2).

const { server, newProject, work } = await world();
const { services } = server;

/** A project with the branches `main` and `next`, which differ. */
async function given() {
  const project = await newProject();
  await project.commit({ 'a.txt': 'main' });
  const tip = await project.commit({ 'a.txt': 'next' }, { branch: 'next' });
  const place = await services.database.reader
    .selectFrom('repositories')
    .select(['project_id as id', 'storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  return { ...project, tip, place };
}

const makeDefault = ({ owner, at }: Project) => owner.put(at, { default_branch: 'next' });

/** `null`: it went through. */
async function deleteByPush({ owner, path_with_namespace, tip }: Project & { tip: string }): Promise<string | null> {
  const line = `${tip} ${zeroId} refs/heads/next\0 report-status side-band-64k`;
  const raw = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
  const headers = { ...basic(owner), 'Content-Type': 'application/x-git-receive-pack-request' };
  const { text } = await owner.send('POST', `//${path_with_namespace}.git/git-receive-pack`, { raw, headers });
  return text.includes('ok refs/heads/next') ? null : text;
}

test('of a new default branch and the deletion of that branch at once exactly one succeeds', async () => {
  for (let round = 0; round < 12; round++) {
    const project = await given();
    const remove = () => project.owner.delete(`${project.repository}/branches/next`);
    const asked = round % 2 === 0 ? [makeDefault(project), remove()] : [remove(), makeDefault(project)];
    const statuses = (await Promise.all(asked)).map(({ status }) => status).sort();
    assert.ok(['200,400', '204,400'].includes(String(statuses)), String(statuses));
    const { body } = await project.owner.get(project.at);
    const { status } = await project.owner.get(`${project.repository}/branches/${body.default_branch}`);
    assert.equal(status, 200, `the default branch ${body.default_branch} is gone`);
  }
  await work();
});

test('of a new default branch and a push that deletes it exactly one succeeds', async () => {
  for (let round = 0; round < 6; round++) {
    const project = await given();
    const [made, pushed] = await Promise.all([makeDefault(project), deleteByPush(project)]);
    assert.equal(made.status === 200, pushed !== null, `${made.status} ${pushed}`);
    if (pushed !== null) assert.match(pushed, /GitLab: The default branch of a project cannot be deleted\./);
    else assert.deepEqual(made.body, { message: { base: ["Could not change HEAD: branch 'next' does not exist"] } });
  }
  await work();
});

/** A deletion of `next` that is under way. */
async function deleting({ place, tip }: Awaited<ReturnType<typeof given>>) {
  const changes = [{ ref: 'refs/heads/next', oldId: tip, newId: zeroId }];
  const intent = await beginMove(services, { project: place, by: { server: true, userId: null }, changes });
  assert.ok(!isFailure(intent));
  return { changes, intent };
}

test('who makes a branch the default one waits for a deletion that is under way', async () => {
  const [kept, gone] = [await given(), await given()];
  const [notMoved, moved] = [await deleting(kept), await deleting(gone)];
  const [asked, alsoAsked] = [makeDefault(kept), makeDefault(gone)];
  assert.equal((await done(kept.owner.get(kept.at))).body.default_branch, 'main');
  await dropIntent(services, notMoved.intent);
  assert.deepEqual(await updateRefs(services.git, repositoryOf(services.git, gone.place), moved.changes), { ok: true });
  await settleIntent(services, moved.intent, moved.changes);
  assert.deepEqual([(await asked).status, (await alsoAsked).status], [200, 400]);
  await work();
});

test('HEAD is the default branch of the row before the file HEAD has followed', async () => {
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

test('a project that is destroyed before its first branch is settled leaves nothing to settle', async () => {
  const { id, owner, at } = await newProject();
  const [place] = await services.database.reader
    .selectFrom('repositories')
    .selectAll()
    .where('project_id', '=', id)
    .execute();
  assert.ok(place);
  const changes = [{ ref: 'refs/heads/main', oldId: zeroId, newId: 'a'.repeat(40) }];
  const intent = await beginMove(services, {
    project: { ...place, id },
    by: { server: true, userId: owner.id },
    changes,
  });
  assert.ok(!isFailure(intent));
  const runUnitOfWork: RunUnitOfWork = async (by, uow, options) => {
    await services.database.transaction((tx) => tx.deleteFrom('projects').where('id', '=', id).execute());
    return services.runUnitOfWork(by, uow, options);
  };
  await settleIntent({ ...services, runUnitOfWork }, intent, changes);
  assert.equal((await owner.get(at)).status, 404);
  await work();
});
