import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Transaction } from '#database/database.ts';
import { getSession } from '#database/sessions.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { createNamespace, moveClosure } from './namespaces.ts';
import { buildChildPath, type FullPath, insertRoute, moveNamespaceRoutes, moveProjectRoute } from './routes.ts';

const database = await testDatabase();
after(() => database.close());

let groups = 0;

async function newGroup(
  tx: Transaction,
  parent: (FullPath & { id: number }) | null,
): Promise<FullPath & { id: number }> {
  const path = `group-${++groups}`;
  const place = buildChildPath(parent, path, `${path} \u{1F331}`);
  const row = { kind: 'group', owner_id: null, parent_id: parent?.id ?? null, visibility: 'private' } as const;
  return { id: await createNamespace(tx, { ...row, path, name: path }, place), ...place };
}

async function newProject(tx: Transaction, parent: FullPath & { id: number }): Promise<number> {
  const times = { last_activity_at: tx.now, created_at: tx.now, updated_at: tx.now };
  const row = { path: 'p', name: 'p', name_key: 'p', visibility: 'private', namespace_id: parent.id } as const;
  const { id } = await tx
    .insertInto('projects')
    .values({ ...row, ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertRoute(tx, { project_id: id }, buildChildPath(parent, 'p', 'p'));
  return id;
}

/** Moves a group with so many others in it, each with a project, below another group. */
async function move(tx: Transaction, size: number) {
  const [top, target] = [await newGroup(tx, null), await newGroup(tx, null)];
  const projects: number[] = [];
  for (let i = 0; i < size; i++) projects.push(await newProject(tx, await newGroup(tx, top)));
  const { connection } = getSession(tx);
  const { execute } = connection;
  let statements = 0;
  connection.execute = (statement) => {
    statements += 1;
    return execute.call(connection, statement);
  };
  await moveClosure(tx, top.id, target.id);
  const moved: { readonly project_id: number; readonly old_path: string }[] = [];
  const place = buildChildPath(target, 'MOVED', 'Moved \u{1F680}');
  await moveNamespaceRoutes(tx, top.id, place, async (each) => void moved.push(each));
  connection.execute = execute;
  return { statements, moved, projects, top, target };
}

test('moving a group takes the same number of statements for one project as for twenty', async () => {
  const few = await database.transaction((tx) => move(tx, 1));
  const many = await database.transaction((tx) => move(tx, 20));
  assert.equal(many.statements, few.statements);
  assert.deepEqual(
    many.moved.map(({ project_id }) => project_id).sort((a, b) => a - b),
    many.projects,
  );
});

test('many routes are moved in batches, and none is missed', async () => {
  const few = await database.transaction((tx) => move(tx, 1));
  const many = await database.transaction((tx) => move(tx, 260));
  assert.ok(many.statements > few.statements);
  assert.equal(many.moved.length, 260);
  const behind = database.reader.selectFrom('routes').select('id');
  const moved = behind.where('full_path', 'like', `${many.target.full_path}/MOVED/%`);
  assert.equal((await moved.execute()).length, 520);
  assert.deepEqual(await behind.where('full_path', 'like', `${many.top.full_path}/%`).execute(), []);
});

test('a moved project has its new path, folded path and name, and a redirect from the old path', async () => {
  const { moved, projects, target, top } = await database.transaction((tx) => move(tx, 1));
  const route = await database.reader
    .selectFrom('routes')
    .selectAll()
    .where('project_id', '=', projects[0] ?? 0)
    .executeTakeFirstOrThrow();
  const low = `group-${groups}`;
  assert.equal(route.full_path, `${target.full_path}/MOVED/${low}/p`);
  assert.equal(route.full_path_key, `${target.full_path}/moved/${low}/p`);
  assert.equal(route.full_name, `${target.full_name} / Moved \u{1F680} / ${low} \u{1F331} / p`);
  assert.deepEqual(moved, [{ project_id: projects[0], old_path: `${top.full_path}/${low}/p` }]);
  const redirect = await database.reader
    .selectFrom('redirects')
    .select('full_path')
    .where('project_id', '=', projects[0] ?? 0)
    .execute();
  assert.deepEqual(redirect, [{ full_path: `${top.full_path}/${low}/p` }]);
});

test('a group that takes the old path of a project ends its redirect', async () => {
  const from = await database.transaction(async (tx) => {
    const [from, to, group] = [await newGroup(tx, null), await newGroup(tx, null), await newGroup(tx, null)];
    await moveProjectRoute(tx, await newProject(tx, from), buildChildPath(to, 'p', 'p'));
    await moveNamespaceRoutes(tx, group.id, buildChildPath(from, 'P', 'P'), async () => {});
    return from;
  });
  const redirects = database.reader.selectFrom('redirects').select('project_id');
  assert.deepEqual(await redirects.where('full_path_key', '=', `${from.full_path}/p`).execute(), []);
});

test('keeps routes of projects that left the group, although their paths begin with the path of the group', async () => {
  const { doomed, project, moved } = await database.transaction(async (tx) => {
    const top = await newGroup(tx, null);
    const doomed = await newGroup(tx, top);
    const project = await newProject(tx, await newGroup(tx, doomed));
    const moved: number[] = [];
    await moveClosure(tx, doomed.id, null);
    await moveNamespaceRoutes(
      tx,
      top.id,
      buildChildPath(null, 'other', 'other'),
      async ({ project_id }) => void moved.push(project_id),
    );
    return { doomed, project, moved };
  });
  assert.deepEqual(moved, []);
  const routes = database.reader.selectFrom('routes').select('full_path');
  const [route] = await routes.where('project_id', '=', project).execute();
  assert.equal(route?.full_path, `${doomed.full_path}/group-${groups}/p`);
  const redirects = database.reader.selectFrom('redirects').select('full_path').where('project_id', '=', project);
  assert.deepEqual(await redirects.execute(), []);
});

test('a moved group is below its new parent and not below its old one', async () => {
  const { top, target } = await database.transaction((tx) => move(tx, 2));
  const above = async () =>
    (
      await database.reader
        .selectFrom('namespace_closure')
        .select(['ancestor_id', 'depth'])
        .where('descendant_id', '=', top.id + 2)
        .orderBy('depth')
        .execute()
    ).map(({ ancestor_id, depth }) => [ancestor_id, depth]);
  assert.deepEqual(await above(), [
    [top.id + 2, 0],
    [top.id, 1],
    [target.id, 2],
  ]);
  await database.transaction((tx) => moveClosure(tx, top.id, null));
  assert.deepEqual(await above(), [
    [top.id + 2, 0],
    [top.id, 1],
  ]);
});
