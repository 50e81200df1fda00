import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { getVisibilityRank, validateAllowedVisibility } from '#authorization/visibility.ts';
import type { Visibility } from '#database/column-types.ts';
import type { Columns, Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { validateName, validatePath } from '#domain/namespaces/name-validation.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { buildChildPath, getNamespacePath } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { retryWhileBranchExists, setDefaultBranch, syncHead } from '#repositories/branches/default-branch.ts';
import { enqueueSummary } from '#repositories/maintenance/summary.ts';
import type { RefServices } from '#repositories/services.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { setProjectTopics } from '../topics/index.ts';
import { recordProjectChanges } from './activity.ts';
import type { ProjectAttributeInput } from './attributes/attributes.ts';
import { resolveAttributes } from './attributes/input-attributes.ts';
import {
  mergeStoredAttributes,
  parseStoredAttributes,
  pickStoredAttributes,
  toProjectColumns,
} from './attributes/stored-attributes.ts';
import { moveProject, reloadProject } from './changes.ts';
import { findTakenFields, validateValues } from './validation.ts';

type UpdateProjectServices = RefServices & Pick<Services, 'config'>;
type UpdateFailure = 'invalid' | 'noSuchBranch' | 'busy' | 'readOnly' | 'notFound';

/** Updates the attributes in the request, including name and path (contract/planning.md §3.3 "PUT"). */
export async function updateProjectAttributes(
  services: UpdateProjectServices,
  caller: Caller,
  project: Project,
  values: ProjectAttributeInput,
): Promise<Project | Failure<UpdateFailure>> {
  const { git, runUnitOfWork, database } = services;
  const storages = Object.keys(services.config.storages);
  const newBranch = getNewDefaultBranch(project, values);
  if (newBranch === null) return runUnitOfWork(caller, (uow) => updateRow(uow, project, values, storages));
  // Only administrators can set this attribute; it is ignored for other callers.
  const makesWritable = isAdministrator(caller) && values.repository_read_only === false;
  if (project.read_only && !makesWritable) return fail('readOnly');
  const updatedProject = await retryWhileBranchExists(services, project, newBranch, (expectedHead) =>
    runUnitOfWork(
      caller,
      async (uow) =>
        (await setDefaultBranch(uow, project.id, expectedHead)) ?? updateRow(uow, project, values, storages),
    ),
  );
  if (!isFailure(updatedProject)) await syncHead(database.reader, git, project.id);
  return updatedProject;
}

/** Returns the default branch in the input if it is another one, else null. Null and empty text in the input change nothing. */
const getNewDefaultBranch = (
  { default_branch: current }: Project,
  { default_branch: requested }: ProjectAttributeInput,
): string | null => (requested && requested !== current ? requested : null);

/** Updates the row of the project. Reloads it first, so that the changes of a concurrent request are not lost. */
async function updateRow(
  uow: UnitOfWork,
  project: Project,
  values: ProjectAttributeInput,
  storages: readonly string[],
): Promise<Project | Failure<'invalid' | 'notFound' | 'readOnly'>> {
  // index: projects primary key
  const before = await uow
    .selectFrom('projects')
    .select(['id', 'namespace_id', 'name', 'path', 'description', 'visibility', 'attributes', 'builds_access_level'])
    .select(FEATURES_WITH_TODOS)
    .where('id', '=', project.id)
    .executeTakeFirst();
  if (before === undefined) return fail('notFound');
  const input = resolveAttributes(values, before.attributes, uow);
  const repository = await getRepositoryState(uow, project.id);
  if (isRejectedAsReadOnly(project, repository, input)) return fail('readOnly');
  const name = input.name ?? before.name;
  const path = input.path ?? before.path;
  const fullPath = buildChildPath(await getNamespacePath(uow, before.namespace_id), path, name);
  const nameAndPath = { namespaceId: before.namespace_id, name, fullPath: fullPath.full_path, projectId: before.id };
  const takenFields = await findTakenFields(uow, nameAndPath);
  const errors = await validateInput(uow, { before, repository, storages }, input);
  if (takenFields !== null || errors !== null) return invalid({ ...takenFields, ...errors });
  const changes = {
    ...toProjectColumns(input),
    name,
    name_key: foldCase(name),
    path,
    attributes: mergeStoredAttributes(before.attributes, pickStoredAttributes(input)),
  };
  await uow
    .updateTable('projects')
    .set({ ...changes, updated_at: uow.now })
    .where('id', '=', before.id)
    .execute();
  if (input.topics != null) await setProjectTopics(uow, before.id, input.topics);
  if (name !== before.name || path !== before.path) await moveProject(uow, project, fullPath);
  await updateRepository(uow, project, input);
  const { repository_storage: storage } = input;
  if (storage != null && storage !== repository.storage) {
    await uow.publish('storage-move-requested', { projectId: before.id, storage });
  }
  const after = { ...before, ...changes } as typeof before;
  if (enablesRunners(before, after)) await uow.publish('runner-access-extended', { type: 'project', id: before.id });
  if (isVisibilityReduced(before, after)) await uow.publish('visibility-reduced', { type: 'project', id: before.id });
  await recordProjectChanges(uow, { id: before.id, full_path: fullPath.full_path }, before, after);
  return reloadProject(uow, project);
}

type RunnerColumns = Columns<'projects', 'builds_access_level' | 'attributes'>;

/** Returns whether builds are newly enabled, or runners of the instance or groups are newly allowed. */
function enablesRunners(before: RunnerColumns, after: RunnerColumns): boolean {
  const areBuildsEnabled = ({ builds_access_level: level }: RunnerColumns) => level !== 'disabled';
  const [previous, current] = [parseStoredAttributes(before), parseStoredAttributes(after)];
  const allowsMoreRunners = (['shared_runners_enabled', 'group_runners_enabled'] as const).some(
    (name) => current[name] && !previous[name],
  );
  return allowsMoreRunners || (areBuildsEnabled(after) && !areBuildsEnabled(before));
}

/** The columns that decide who can see the project and its items. */
type VisibilityColumns = Pick<Project, 'visibility' | (typeof FEATURES_WITH_TODOS)[number]>;

/** Features whose items are targets of to-do items. */
const FEATURES_WITH_TODOS = ['issues_access_level', 'merge_requests_access_level', 'repository_access_level'] as const;

/** Access levels of features, from the narrowest to the widest. */
const ACCESS_LEVEL_RANKS = { disabled: 0, private: 1, enabled: 2 } as const;

/** Returns whether fewer users can see the project, its issues, merge requests or commits. */
function isVisibilityReduced(before: VisibilityColumns, after: VisibilityColumns): boolean {
  if (getVisibilityRank(after.visibility) < getVisibilityRank(before.visibility)) return true;
  return FEATURES_WITH_TODOS.some((name) => ACCESS_LEVEL_RANKS[after[name]] < ACCESS_LEVEL_RANKS[before[name]]);
}

/** The columns of the project that validation compares with the input. */
type CurrentProject = Pick<Project, 'namespace_id' | 'visibility'>;

// index: repositories primary key
function getRepositoryState(uow: UnitOfWork, projectId: number) {
  return uow
    .selectFrom('repositories')
    .select(['storage', 'read_only', 'move_id'])
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
}

type RepositoryState = Awaited<ReturnType<typeof getRepositoryState>>;

/**
 * Returns whether the update must fail because the repository is read-only. During a storage move, neither the default branch nor
 * the read-only flag can be changed.
 */
function isRejectedAsReadOnly(
  project: Project,
  { read_only, move_id }: RepositoryState,
  input: ProjectAttributeInput,
): boolean {
  const { repository_read_only: readOnly } = input;
  const changesBranch = getNewDefaultBranch(project, input) !== null;
  if (move_id !== null) return readOnly != null || changesBranch;
  return read_only && readOnly !== false && changesBranch;
}

/** Returns whether the repository is read-only before or after the update. */
const isReadOnly = ({ read_only }: RepositoryState, { repository_read_only: readOnly }: ProjectAttributeInput) =>
  read_only || readOnly === true;

/** The state before the update, and the names of the storages. */
interface CurrentState {
  /** The current state of the project in this unit of work. */
  readonly before: CurrentProject;
  readonly repository: RepositoryState;
  readonly storages: readonly string[];
}

/** Returns the errors of the attributes in the input, or null. Absent attributes are not checked again. */
async function validateInput(
  uow: UnitOfWork,
  { before, repository, storages }: CurrentState,
  input: ProjectAttributeInput,
): Promise<FieldErrors | null> {
  const { name, path, visibility } = input;
  const changesVisibility = visibility != null && visibility !== before.visibility;
  return compactFieldErrors({
    name: name == null ? [] : validateName(name),
    path: path == null ? [] : validatePath(path),
    // A read-only repository cannot be moved, so only its current storage is valid.
    ...validateValues(input, isReadOnly(repository, input) ? [repository.storage] : storages),
    visibility_level: changesVisibility ? await validateVisibilityChange(uow, before, visibility) : [],
  });
}

/**
 * Returns the error of a new visibility: the instance restricts the level, or it is wider than the visibility of the group.
 */
async function validateVisibilityChange(
  uow: UnitOfWork,
  before: CurrentProject,
  visibility: Visibility,
): Promise<string[]> {
  const restrictionErrors = validateAllowedVisibility(uow.actor, visibility, await loadSettings(uow));
  return restrictionErrors.length > 0 ? restrictionErrors : validateGroupVisibility(uow, before, visibility);
}

/** Returns an error for a visibility above that of the group. For new projects the visibility is lowered instead. */
async function validateGroupVisibility(
  db: Reader,
  { namespace_id }: CurrentProject,
  visibility: Visibility,
): Promise<string[]> {
  // index: namespaces primary key
  const namespace = await db
    .selectFrom('namespaces')
    .select(['kind', 'visibility'])
    .where('id', '=', namespace_id)
    .executeTakeFirst();
  if (namespace?.kind !== 'group' || getVisibilityRank(visibility) <= getVisibilityRank(namespace.visibility))
    return [];
  return [`${visibility} is not allowed in a ${namespace.visibility} group.`];
}

/** Stores the read-only flag, and enqueues the jobs that follow a change of the default branch. */
async function updateRepository(uow: UnitOfWork, project: Project, input: ProjectAttributeInput): Promise<void> {
  const { repository_read_only: read_only } = input;
  if (read_only != null) {
    await uow.updateTable('repositories').set({ read_only }).where('project_id', '=', project.id).execute();
  }
  if (getNewDefaultBranch(project, input) === null) return;
  await enqueue(uow, syncHeadJob, { projectId: project.id });
  await enqueueSummary(uow, project.id);
}

/**
 * Sets HEAD of the repository to the stored default branch. The transaction that changes the row enqueues the job, so
 * HEAD is updated even if the process dies.
 */
export const syncHeadJob = defineJob({
  kind: 'sync_head',
  handle: ({ database, git }: Pick<Services, 'database' | 'git'>, { projectId }: { readonly projectId: number }) =>
    syncHead(database.reader, git, projectId),
});
