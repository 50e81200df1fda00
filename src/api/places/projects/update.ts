import type { Project } from '../../../access/projects.ts';
import { childOf, placeOfNamespace } from '../../../access/routes.ts';
import { openness, type Visibility } from '../../../access/visibility.ts';
import { enqueue } from '../../../background/job.ts';
import type { Config } from '../../../config.ts';
import type { Database, Reader, Transaction } from '../../../database/database.ts';
import { foldCase } from '../../../database/keys.ts';
import type { FactBus } from '../../../facts/bus.ts';
import type { Git } from '../../../git/git.ts';
import { branchTip } from '../../../git/revision.ts';
import { type Caller, isAdministrator } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import { readSettings } from '../../../settings/settings.ts';
import { type AttributeValues, sentAttributes, storedPart, withStored } from './attributes.ts';
import { auditProject, changesOf } from './audit.ts';
import { columnsOf } from './columns.ts';
import { pointHead, pointHeadJob } from './default-branch.ts';
import { moveTo } from './place.ts';
import { orTaken, takenFields, withTaken } from './taken.ts';
import { type Errors, nameErrors, valueErrors, visibilityErrors } from './values.ts';

interface UpdatingRooms {
  readonly database: Database;
  readonly config: Pick<Config, 'tier' | 'storages'>;
  readonly git: Git;
  readonly facts: FactBus;
}

export type UpdateRefusal = 'invalid' | 'noSuchBranch' | 'readOnly' | 'gone';

/** Changes what was sent of a project's attributes, its place included (contract/planning.md §3.3 "PUT"). */
export async function update(
  rooms: UpdatingRooms,
  caller: Caller,
  project: Project,
  values: AttributeValues,
): Promise<{ updated: true } | Refused<UpdateRefusal>> {
  const sent = permitted(caller, sentAttributes(values));
  const branch = await branchRefusal(rooms.git, project, sent);
  if (branch) return branch;
  const work = () => rooms.database.transaction((tx) => change(tx, rooms, { caller, project, sent }));
  const done = await orTaken(work, (field) => refused('invalid', { errors: withTaken({}, [field]) }));
  if (isRefused(done)) return done as Refused<UpdateRefusal>;
  if (changesBranch(project, sent)) await pointHead(rooms, project.id);
  return { updated: true };
}

/** What only administrators set is ignored when others send it. */
function permitted(caller: Caller, sent: AttributeValues): AttributeValues {
  if (isAdministrator(caller)) return sent;
  const { repository_read_only: _readOnly, repository_storage: _storage, ...rest } = sent;
  return rest;
}

const changesBranch = ({ default_branch: now }: Project, { default_branch: next }: AttributeValues) =>
  next != null && next !== '' && next !== now;

async function branchRefusal(
  git: Git,
  project: Project,
  sent: AttributeValues,
): Promise<Refused<UpdateRefusal> | null> {
  if (!changesBranch(project, sent)) return null;
  if (project.read_only && sent.repository_read_only !== false) return refused('readOnly');
  const branch = sent.default_branch as string;
  const tip = await branchTip(repositoryOf(git, project), branch);
  return tip === null ? refused('noSuchBranch', { branch }) : null;
}

/** `before`: as the project is now, by the transaction that changes it. */
async function errorsOf(
  tx: Transaction,
  { caller, project, sent }: Change,
  before: Pick<Project, 'namespace_id' | 'visibility'>,
): Promise<Errors> {
  const { visibility } = sent;
  const named = nameErrors({ name: sent.name ?? undefined, path: sent.path ?? undefined });
  // Nothing moves repositories yet, so that the project's own storage is the only one that can be meant.
  const valued = valueErrors(sent, caller, [project.storage]);
  if (visibility == null || visibility === before.visibility) return { ...named, ...valued };
  const restricted = visibilityErrors(visibility, caller, await readSettings(tx));
  return { ...named, ...valued, ...(await groupErrors(tx, before, visibility)), ...restricted };
}

/** Unlike a new project's, a visibility above the group's is refused here. */
async function groupErrors(
  db: Reader,
  { namespace_id }: Pick<Project, 'namespace_id'>,
  visibility: Visibility,
): Promise<Errors> {
  // index: namespaces primary key
  const namespace = await db
    .selectFrom('namespaces')
    .select(['kind', 'visibility'])
    .where('id', '=', namespace_id)
    .executeTakeFirst();
  if (namespace?.kind !== 'group' || openness(visibility) <= openness(namespace.visibility)) return {};
  return { visibility_level: [`${visibility} is not allowed in a ${namespace.visibility} group.`] };
}

interface Change {
  readonly caller: Caller;
  readonly project: Project;
  readonly sent: AttributeValues;
}

/** The row is read again, so that two changes at once both count. */
async function change(tx: Transaction, rooms: UpdatingRooms, wish: Change) {
  const { caller, project, sent } = wish;
  // index: projects primary key
  const before = await tx
    .selectFrom('projects')
    .select(['id', 'namespace_id', 'name', 'path', 'description', 'visibility', 'attributes'])
    .where('id', '=', project.id)
    .executeTakeFirst();
  if (before === undefined) return refused('gone');
  const name = sent.name ?? before.name;
  const path = sent.path ?? before.path;
  const place = childOf(await placeOfNamespace(tx, before.namespace_id), path, name);
  const wanted = { namespaceId: before.namespace_id, name, fullPath: place.full_path, projectId: before.id };
  const errors = await errorsOf(tx, wish, before);
  const taken = await takenFields(tx, wanted);
  if (taken.length > 0 || Object.keys(errors).length > 0)
    return refused('invalid', { errors: withTaken(errors, taken) });
  const changes = {
    ...columnsOf(sent),
    name,
    name_key: foldCase(name),
    path,
    attributes: withStored(before.attributes, storedPart(sent)),
  };
  await tx
    .updateTable('projects')
    .set({ ...changes, updated_at: tx.now })
    .where('id', '=', before.id)
    .execute();
  if (name !== before.name || path !== before.path) await moveTo(tx, rooms.facts, project, place);
  await updateRepository(tx, project, sent);
  const after = { ...before, ...changes } as typeof before;
  for (const change of changesOf(before, after)) {
    await auditProject(tx, { caller, tier: rooms.config.tier }, { id: before.id, ...place }, change);
  }
  return null;
}

async function updateRepository(tx: Transaction, project: Project, sent: AttributeValues): Promise<void> {
  const { repository_read_only: read_only, default_branch } = sent;
  const row = tx.updateTable('repositories').where('project_id', '=', project.id);
  if (read_only != null) await row.set({ read_only }).execute();
  if (!changesBranch(project, sent)) return;
  // What is remembered of refs may say which branch is the default one.
  await row
    .set((eb) => ({ default_branch: default_branch as string, ref_state_version: eb('ref_state_version', '+', 1) }))
    .execute();
  await enqueue(tx, pointHeadJob, { projectId: project.id });
}
