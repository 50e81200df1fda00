import { deleteMembershipsOf } from '../../../access/memberships.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import type { Act } from '../../../facts/act.ts';
import { type AnySubscription, subscription } from '../../../facts/bus.ts';
import { MORE, PIECE } from '../../../facts/pieces.ts';
import { type Git, repositoryAt } from '../../../git/git.ts';
import { removeRepository } from '../../../git/storage.ts';
import { forgetProjectActivity, INSTANCE } from '../../../history/index.ts';

/**
 * Destroys a project with everything below it, at once and for ever; nothing happens to one that is gone already. The
 * repository's directory goes afterwards, in a job.
 */
export async function destroyProject(act: Act, projectId: number): Promise<void> {
  const doomed = await readDoomed(act, projectId);
  if (doomed === undefined) return;
  const { storage, disk_path: diskPath } = doomed;
  await act.publish('project-destroyed', { projectId, storage, diskPath });
  await forgetProjectActivity(act, projectId);
  await deleteMembershipsOf(act, 'project', [projectId]);
  await recordDestruction(act, doomed);
  await act.deleteFrom('projects').where('id', '=', projectId).execute();
}

/**
 * The same for `inPieces`, of a project that may hold very much: its issues go first. Whoever destroys asks in each piece
 * whether he still may.
 */
export async function destroyPieceOfProject(act: Act, projectId: number): Promise<typeof MORE | undefined> {
  if ((await deleteSomeIssues(act, projectId)) === PIECE) return MORE;
  await destroyProject(act, projectId);
  return undefined;
}

/** How many they were. index: issues_by_iid */
async function deleteSomeIssues(tx: Transaction, projectId: number): Promise<number> {
  const some = tx.selectFrom('issues').select('id').where('project_id', '=', projectId).limit(PIECE);
  const gone = await tx.deleteFrom('issues').where('id', 'in', some).returning('id').execute();
  return gone.length;
}

// index: projects primary key, repositories primary key, routes_by_project, routes_by_namespace
function readDoomed(db: Reader, id: number) {
  return db
    .selectFrom('projects')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .innerJoin('routes as parent', 'parent.namespace_id', 'projects.namespace_id')
    .select([
      'projects.id',
      'projects.name',
      'projects.namespace_id',
      'routes.full_path',
      'repositories.storage',
      'repositories.disk_path',
      'namespaces.kind',
      'namespaces.name as namespace_name',
      'parent.full_path as namespace_path',
    ])
    .where('projects.id', '=', id)
    .executeTakeFirst();
}

type Doomed = NonNullable<Awaited<ReturnType<typeof readDoomed>>>;

/** The log of what is left: the group's, or for personal projects the instance's. */
async function recordDestruction(act: Act, doomed: Doomed): Promise<void> {
  // A personal project's event would otherwise be the only one of a project that tier free records.
  if (act.tier === 'free') return;
  const { id, name, full_path, namespace_id, namespace_name, namespace_path } = doomed;
  await act.record({
    name: 'project_destroyed',
    entity: doomed.kind === 'group' ? { type: 'Group', id: namespace_id, path: namespace_path } : INSTANCE,
    target: { type: 'Project', id, details: full_path },
    message: `Project '${full_path}' was deleted`,
    details: {
      remove: 'project',
      project_id: id,
      project_name: name,
      project_full_path: full_path,
      namespace_id,
      namespace_name,
      namespace_path,
    },
  });
}

/** What stays of a destroyed project outside of the database: its repository. */
export const removeProjectRepository = subscription({
  fact: 'project-destroyed',
  afterwards: {
    kind: 'remove_project_repository',
    handle: ({ git }: { readonly git: Git }, { storage, diskPath }) =>
      removeRepository(git, repositoryAt(git, storage, diskPath)),
  },
}) satisfies AnySubscription<{ readonly git: Git }>;
