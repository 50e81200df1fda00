import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statements } from '#test/support/statement-watch.ts';
import { type Caller, type Group, type Project, world } from '#test/support/world.ts';
import { mayDeployTo, mayDeployToEach } from './deployment-rules.ts';
import { createProtection, type NewProtection } from './fixtures.testing.ts';
import { loadProtections, loadProtectionsForAll } from './protected-environments.ts';

const here = await world();
const { server, newGroup, newProject, root } = here;
const { database } = server.services;

const protect = (owner: { project?: Project; group?: Group }, name: string, protection: NewProtection) =>
  database.transaction((tx) => {
    const { project, group } = owner;
    const row = project ? { project_id: project.id, group_id: null } : { project_id: null, group_id: group!.id };
    return createProtection(tx, row, name, protection);
  });

const PRODUCTION = { name: 'production', tier: 'production' };

async function may(caller: Caller, project: Project, environment = PRODUCTION): Promise<boolean> {
  const place = { id: project.id, namespace_id: project.namespace.id };
  const protections = await loadProtections(database.reader, 'ultimate', place, environment);
  return mayDeployTo(database.reader, { user: { id: caller.id, admin: caller === root } }, place, protections);
}

test('the protection of a project applies to exactly its name, and requires the role in the project', async () => {
  const project = await newProject({ with: ['developer', 'maintainer'] });
  await protect({ project }, 'production', { levels: [{ access_level: 40 }] });
  assert.equal(await may(project.developer, project), false);
  assert.equal(await may(project.maintainer, project), true);
  assert.equal(await may(project.developer, project, { name: 'Production', tier: 'production' }), true);
});

test('the protection of a group applies to its tier, and requires the role in that group', async () => {
  const group = await newGroup({ with: ['maintainer', 'developer'] });
  const inner = await newGroup({ in: group });
  const project = await newProject({ in: inner, with: ['maintainer'] });
  await protect({ group }, 'production', { levels: [{ access_level: 40 }] });
  assert.equal(await may(project.maintainer, project), false);
  assert.equal(await may(group.maintainer, project), true);
  assert.equal(await may(group.developer, project), false);
  assert.equal(await may(project.maintainer, project, { name: 'production', tier: 'staging' }), true);
  assert.equal(await may(project.maintainer, project, { name: 'x', tier: 'production' }), false);
});

test('requires the permission of all protections: of the project and of every ancestor group', async () => {
  const group = await newGroup({ with: ['maintainer'] });
  const inner = await newGroup({ in: group, with: ['maintainer'] });
  const project = await newProject({ in: inner, with: ['maintainer'] });
  await protect({ group: inner }, 'production', { levels: [{ access_level: 40 }] });
  assert.equal(await may(inner.maintainer, project), true);
  await protect({ group }, 'production', { levels: [{ access_level: 40 }] });
  assert.equal(await may(inner.maintainer, project), false);
  assert.equal(await may(group.maintainer, project), true);
  await protect({ project }, 'production', { levels: [{ user_id: project.maintainer.id }] });
  assert.equal(await may(group.maintainer, project), false);
});

test('a group entry allows direct members, with type 1 inherited ones too', async () => {
  const group = await newGroup({ with: ['guest'] });
  const operators = await newGroup({ in: group, with: ['guest'] });
  const project = await newProject({ in: group });
  await protect({ project }, 'production', { levels: [{ group_id: operators.id }] });
  await protect({ project }, 'staging', { levels: [{ group_id: operators.id, group_inheritance_type: 1 }] });
  assert.deepEqual([await may(operators.guest, project), await may(group.guest, project)], [true, false]);
  const staging = { name: 'staging', tier: 'staging' };
  assert.deepEqual(
    [await may(operators.guest, project, staging), await may(group.guest, project, staging)],
    [true, true],
  );
});

test('administrators are always allowed; others are not at level 60 or without levels', async () => {
  const project = await newProject();
  await protect({ project }, 'production', { levels: [{ access_level: 60 }] });
  await protect({ project }, 'bare', {});
  for (const name of ['production', 'bare']) {
    assert.equal(await may(project.owner, project, { name, tier: 'other' }), false);
    assert.equal(await may(root, project, { name, tier: 'other' }), true);
  }
});

test('a job token has no administrator rights and no rights in other projects', async () => {
  const project = await newProject();
  await protect({ project }, 'production', { levels: [{ access_level: 40 }] });
  await protect({ project }, 'staging', { levels: [{ access_level: 60 }] });
  const place = { id: project.id, namespace_id: project.namespace.id };
  const byJob = async (user: { id: number; admin: boolean }, projectId: number, name: string) => {
    const protections = await loadProtections(database.reader, 'ultimate', place, { name, tier: 'other' });
    return mayDeployTo(database.reader, { user, job: { projectId } }, place, protections);
  };
  const [owner, administrator] = [
    { id: project.owner.id, admin: false },
    { id: root.id, admin: true },
  ];
  for (const user of [owner, administrator]) {
    assert.equal(await byJob(user, project.id, 'production'), true);
    assert.equal(await byJob(user, project.id, 'staging'), false);
    assert.equal(await byJob(user, project.id + 1, 'production'), false);
  }
});

test('on tier free nothing is protected', async () => {
  const project = await newProject();
  await protect({ project }, 'production', {});
  const place = { id: project.id, namespace_id: project.namespace.id };
  assert.deepEqual(await loadProtections(database.reader, 'free', place, PRODUCTION), []);
});

test('a hundred environments take as many statements as one', async () => {
  const group = await newGroup();
  const project = await newProject({ in: group });
  const place = { id: project.id, namespace_id: group.id };
  const environments = Array.from({ length: 100 }, (_, number) => ({ name: `e${number}`, tier: 'production' }));
  await protect({ group }, 'production', { levels: [{ group_id: group.id }] });
  for (const { name } of environments) await protect({ project }, name, { levels: [{ access_level: 40 }] });
  const cost = (some: readonly (typeof PRODUCTION)[]) =>
    statements(here, async () => {
      const each = await loadProtectionsForAll(database.reader, 'ultimate', place, some);
      const may = await mayDeployToEach(database.reader, { user: { id: project.owner.id, admin: false } }, place, each);
      assert.deepEqual(new Set(may), new Set([true]));
    });
  assert.equal(await cost(environments), await cost(environments.slice(0, 1)));
});
