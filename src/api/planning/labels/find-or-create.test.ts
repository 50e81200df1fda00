import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignedInCaller } from '#authentication/caller.ts';
import { findUserById } from '#authentication/users/users.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { type Caller, type Project, world } from '#test/support/world.ts';
import { findOrCreateLabels } from './changes.ts';

const { server, newGroup, newProject } = await world();
const { database, runUnitOfWork } = server.services;

/** Returns title and color of the labels that the user gets for these titles in the project. */
async function findOrCreate(
  who: Caller,
  project: Project,
  titles: readonly string[],
): Promise<(readonly [string, string])[]> {
  const user = await findUserById(database.reader, who.id);
  const caller = { user, token: null } as unknown as SignedInCaller;
  const found = await findProject(database.reader, caller, String(project.id));
  const labels = await runUnitOfWork(caller, (uow) => findOrCreateLabels(uow, { project: found! }, titles));
  return labels.map(({ title, color }) => [title, color] as const).sort();
}

test('finds labels of the project and its ancestors by title, and creates unknown ones for callers who may', async () => {
  const group = await newGroup();
  const project = await newProject({ in: group });
  await group.owner.post(`${group.at}/labels`, { name: 'above', color: 'red' });
  await project.owner.post(`${project.at}/labels`, { name: 'own', color: 'blue' });
  const labels = await findOrCreate(project.owner, project, ['own', ' new ', 'above', 'new', 'Own', '', 'a,b']);
  assert.deepEqual(labels, [
    ['Own', '#6699cc'],
    ['above', '#FF0000'],
    ['new', '#6699cc'],
    ['own', '#0000FF'],
  ]);
  const own = await project.owner.get(`${project.at}/labels`, { include_ancestor_groups: false });
  assert.equal(own.body.length, 3);
});

test('omits unknown labels for callers who may not manage labels', async () => {
  const project = await newProject({ with: ['guest'] });
  await project.owner.post(`${project.at}/labels`, { name: 'own', color: 'blue' });
  assert.deepEqual(await findOrCreate(project.guest, project, ['own', 'new']), [['own', '#0000FF']]);
  assert.equal((await project.owner.get(`${project.at}/labels`)).body.length, 1);
});
