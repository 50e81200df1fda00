import type { Selectable } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { openness, restrictedErrors, type Visibility } from '#authorization/visibility-levels.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { ProjectsTable } from '#database/tables/domain.ts';
import { nameProblems, pathProblems } from '#domain/namespaces/name-validation.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { childOf, placeOfNamespace } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { enqueue } from '#jobs/job.ts';
import { makeDefault, pointHead, whileBranchIsThere } from '#repositories/branches/default-branch.ts';
import { summarizeSoon } from '#repositories/maintenance/summary.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, type FieldErrors, fail, fieldErrors, invalid, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { recordChanges } from './activity.ts';
import type { AttributeValues } from './attributes/attributes.ts';
import { columnsOf } from './attributes/columns.ts';
import { sentAttributes } from './attributes/input-attributes.ts';
import { storedAttributes, storedPart, withStored } from './attributes/stored-attributes.ts';
import { pointHeadJob } from './default-branch.ts';
import { moveTo, readAgain } from './move-route.ts';
import { takenFields } from './unique-errors.ts';
import { valueErrors } from './validation.ts';

type UpdatingServices = RefServices & Pick<Services, 'config'>;
type UpdateFailure = 'invalid' | 'noSuchBranch' | 'busy' | 'readOnly' | 'gone';

/** Changes what was sent of a project's attributes, its place included (contract/planning.md §3.3 "PUT"). */
export async function update(
  services: UpdatingServices,
  caller: Caller,
  project: Project,
  values: AttributeValues,
): Promise<Project | Failure<UpdateFailure>> {
  const { git, runUnitOfWork, database } = services;
  const storages = Object.keys(services.config.storages);
  if (!changesBranch(project, values)) return runUnitOfWork(caller, (uow) => change(uow, project, values, storages));
  const endsReadOnly = isAdministrator(caller) && values.repository_read_only === false;
  if (project.read_only && !endsReadOnly) return fail('readOnly');
  const changed = await whileBranchIsThere(services, project, values.default_branch as string, (seen) =>
    runUnitOfWork(
      caller,
      async (uow) => (await makeDefault(uow, project.id, seen)) ?? change(uow, project, values, storages),
    ),
  );
  if (!isFailure(changed)) await pointHead(database.reader, git, project.id);
  return changed;
}

const changesBranch = ({ default_branch: now }: Project, { default_branch: next }: AttributeValues) =>
  next != null && next !== '' && next !== now;

/** The row is read again, so that two changes at once both count. */
async function change(
  uow: UnitOfWork,
  project: Project,
  values: AttributeValues,
  storages: readonly string[],
): Promise<Project | Failure<'invalid' | 'gone' | 'readOnly'>> {
  // index: projects primary key
  const before = await uow
    .selectFrom('projects')
    .select(['id', 'namespace_id', 'name', 'path', 'description', 'visibility', 'attributes', 'builds_access_level'])
    .select(['issues_access_level', 'merge_requests_access_level'])
    .where('id', '=', project.id)
    .executeTakeFirst();
  if (before === undefined) return fail('gone');
  const sent = sentAttributes(values, before.attributes, uow);
  const repository = await readRepository(uow, project.id);
  if (needsToWrite(project, repository, sent)) return fail('readOnly');
  const name = sent.name ?? before.name;
  const path = sent.path ?? before.path;
  const place = childOf(await placeOfNamespace(uow, before.namespace_id), path, name);
  const wanted = { namespaceId: before.namespace_id, name, fullPath: place.full_path, projectId: before.id };
  const taken = await takenFields(uow, wanted);
  const wrong = await errorsOf(uow, { before, repository, storages }, sent);
  if (taken !== null || wrong !== null) return invalid({ ...taken, ...wrong });
  const changes = {
    ...columnsOf(sent),
    name,
    name_key: foldCase(name),
    path,
    attributes: withStored(before.attributes, storedPart(sent)),
  };
  await uow
    .updateTable('projects')
    .set({ ...changes, updated_at: uow.now })
    .where('id', '=', before.id)
    .execute();
  if (name !== before.name || path !== before.path) await moveTo(uow, project, place);
  await updateRepository(uow, project, sent);
  if (isElsewhere(repository, sent)) {
    await uow.publish('storage-wanted', { projectId: before.id, storage: sent.repository_storage as string });
  }
  const after = { ...before, ...changes } as typeof before;
  if (letsRunnersIn(before, after)) await uow.publish('runners-let-in', { type: 'project', id: before.id });
  if (isNarrowed(before, after)) await uow.publish('sight-narrowed', { type: 'project', id: before.id });
  await recordChanges(uow, { id: before.id, full_path: place.full_path }, before, after);
  return readAgain(uow, project);
}

type Runs = Pick<Selectable<ProjectsTable>, 'builds_access_level' | 'attributes'>;

/** Are builds on, or does it take the runners of the instance or of its groups, and was not so before? */
function letsRunnersIn(before: Runs, after: Runs): boolean {
  const isOn = ({ builds_access_level: level }: Runs) => level !== 'disabled';
  const [was, is] = [storedAttributes(before), storedAttributes(after)];
  const takesMore = (['shared_runners_enabled', 'group_runners_enabled'] as const).some(
    (name) => is[name] && !was[name],
  );
  return takesMore || (isOn(after) && !isOn(before));
}

type Sight = Pick<Project, 'visibility' | 'issues_access_level' | 'merge_requests_access_level'>;

/** Do fewer see it, or what is planned in it? */
function isNarrowed(before: Sight, after: Sight): boolean {
  if (openness(after.visibility) < openness(before.visibility)) return true;
  const features = ['issues_access_level', 'merge_requests_access_level'] as const;
  return features.some((name) => after[name] !== before[name] && after[name] !== 'enabled');
}

type Before = Pick<Project, 'namespace_id' | 'visibility'>;

// index: repositories primary key
function readRepository(uow: UnitOfWork, projectId: number) {
  return uow
    .selectFrom('repositories')
    .select(['storage', 'read_only', 'move_id'])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
}

type RepositoryNow = Awaited<ReturnType<typeof readRepository>>;

/** What a read-only repository can't have; one that is moving is no administrator's to make writable, or not. */
function needsToWrite(project: Project, { read_only, move_id }: RepositoryNow, sent: AttributeValues): boolean {
  const { repository_read_only: wanted } = sent;
  if (move_id !== null) return wanted != null || changesBranch(project, sent);
  return read_only && wanted !== false && changesBranch(project, sent);
}

const isReadOnly = ({ read_only }: RepositoryNow, { repository_read_only: wanted }: AttributeValues) =>
  read_only || wanted === true;

const isElsewhere = ({ storage }: RepositoryNow, { repository_storage: wanted }: AttributeValues) =>
  wanted != null && wanted !== storage;

interface Now {
  /** As the project is now, by the act that changes it. */
  readonly before: Before;
  readonly repository: RepositoryNow;
  readonly storages: readonly string[];
}

/** What is not sent is not asked again. */
async function errorsOf(
  uow: UnitOfWork,
  { before, repository, storages }: Now,
  sent: AttributeValues,
): Promise<FieldErrors | null> {
  const { name, path, visibility } = sent;
  const changesVisibility = visibility != null && visibility !== before.visibility;
  return fieldErrors({
    name: name == null ? [] : nameProblems(name),
    path: path == null ? [] : pathProblems(path),
    // Nothing moves what is read-only.
    ...valueErrors(sent, isReadOnly(repository, sent) ? [repository.storage] : storages),
    visibility_level: changesVisibility ? await changedVisibilityProblems(uow, before, visibility) : [],
  });
}

async function changedVisibilityProblems(uow: UnitOfWork, before: Before, visibility: Visibility): Promise<string[]> {
  const restricted = restrictedErrors(uow.actor, visibility, await readSettings(uow));
  return restricted.length > 0 ? restricted : groupProblems(uow, before, visibility);
}

/** Unlike a new project's, a visibility above the group's is refused here. */
async function groupProblems(db: Reader, { namespace_id }: Before, visibility: Visibility): Promise<string[]> {
  // index: namespaces primary key
  const namespace = await db
    .selectFrom('namespaces')
    .select(['kind', 'visibility'])
    .where('id', '=', namespace_id)
    .executeTakeFirst();
  if (namespace?.kind !== 'group' || openness(visibility) <= openness(namespace.visibility)) return [];
  return [`${visibility} is not allowed in a ${namespace.visibility} group.`];
}

async function updateRepository(uow: UnitOfWork, project: Project, sent: AttributeValues): Promise<void> {
  const { repository_read_only: read_only } = sent;
  if (read_only != null) {
    await uow.updateTable('repositories').set({ read_only }).where('project_id', '=', project.id).execute();
  }
  if (!changesBranch(project, sent)) return;
  await enqueue(uow, pointHeadJob, { projectId: project.id });
  await summarizeSoon(uow, project.id);
}
