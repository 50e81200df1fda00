import { ANONYMOUS, type Caller, type SignedInCaller } from '#authentication/caller.ts';
import { findUserById, type User } from '#authentication/users/users.ts';
import { getWidestAllowedVisibility, minVisibility, validateAllowedVisibility } from '#authorization/visibility.ts';
import type { Visibility } from '#database/column-types.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { createMembership } from '#domain/members/memberships.ts';
import { MAINTAINER, OWNER } from '#domain/members/roles.ts';
import { getInitialBranch, parseGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import { type Group, getGroupRole } from '#domain/namespaces/groups.ts';
import { findAvailableName, validateName, validatePath } from '#domain/namespaces/name-validation.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { buildChildPath, type FullPath, insertRoute } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { HEADS } from '#git/ref-names.ts';
import { toDiskPath } from '#git/storage/storage.ts';
import type { Services } from '#http/services.ts';
import { chooseStorage } from '#repositories/choose-storage.ts';
import { createInitialCommit } from '#repositories/commits/initial-commit.ts';
import type { RefServices } from '#repositories/services.ts';
import { compactFieldErrors, type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { type ApplicationSettings, loadSettings } from '#settings/settings.ts';
import { setProjectTopics } from '../topics/index.ts';
import { recordProjectCreated, recordProjectImported } from './activity.ts';
import type { ProjectAttributeInput } from './attributes/attributes.ts';
import { resolveAttributes } from './attributes/input-attributes.ts';
import { mergeStoredAttributes, pickStoredAttributes, toProjectColumns } from './attributes/stored-attributes.ts';
import { reloadProject } from './changes.ts';
import { destroyProject } from './destroy.ts';
import { findPersonalTarget, findTarget, mayCreateProjectsIn, type TargetNamespace } from './target-namespace.ts';
import {
  capVisibility,
  derivePath,
  findTakenFields,
  getDefaultVisibility,
  validateDefaultBranch,
  validateValues,
} from './validation.ts';

/** The input for a new project. */
export interface CreateProjectInput {
  readonly values: ProjectAttributeInput;
  /** Whether to create a first commit with a README.md. */
  readonly readme: boolean;
  readonly importUrl: string | null | undefined;
  readonly template: TemplateReference;
}

/** The requested template. */
interface TemplateReference {
  readonly name: string | null | undefined;
  readonly projectId: number | null | undefined;
}

/** The creator and the namespace of a new project. */
interface CreatorAndNamespace {
  readonly creatorId: number;
  /** Null for the creator's personal namespace. */
  readonly namespaceId: number | null;
}

type CreateProjectServices = RefServices & Pick<Services, 'config'>;
type CreateFailure = 'importUnsupported' | 'invalid' | 'limitReached';

/**
 * Creates a project with its route, repository row and owner, and on request its first commit (contract/planning.md §3.3
 * "POST /projects"). If the commit cannot be written, for example to a full disk, destroys the project and throws.
 */
export async function createProjectWithRepository(
  services: CreateProjectServices,
  caller: Caller,
  creatorAndNamespace: CreatorAndNamespace,
  { values, readme, importUrl, template }: CreateProjectInput,
): Promise<Project | Failure<CreateFailure>> {
  if (importUrl) return fail('importUnsupported');
  const templateFailure = findTemplateFailure(template);
  if (templateFailure !== null) return templateFailure;
  const storages = Object.keys(services.config.storages);
  const createResult = await services.runUnitOfWork(caller, (uow) =>
    createInTarget(uow, creatorAndNamespace, resolveAttributes(values, '{}', uow), storages),
  );
  if (isFailure(createResult)) return createResult;
  if (!readme) return createResult.project;
  const { project, creator } = createResult;
  try {
    await initializeWithReadme(services, project, creator);
  } catch (error) {
    // A failed request leaves no project behind, so that a retry does not find its name taken.
    await services.runUnitOfWork(caller, (uow) => destroyProject(uow, project.id)).catch(() => {});
    throw error;
  }
  return (await findProject(services.database.reader, caller, String(project.id))) ?? project;
}

/** Returns a failure if a template is requested. Templates do not exist, and callers would not expect an empty project instead. */
function findTemplateFailure({ name, projectId }: TemplateReference): Failure<'invalid'> | null {
  if (projectId != null) return invalid({ template_project_id: [`${projectId} is unknown or invalid`] });
  return name ? invalid({ template_name: [`'${name}' is unknown or invalid`] }) : null;
}

/**
 * Creates the project in its namespace. Checks all conditions in this unit of work, because the namespace may be moved, hidden or
 * deleted meanwhile.
 */
async function createInTarget(
  uow: UnitOfWork,
  { creatorId, namespaceId }: CreatorAndNamespace,
  input: ProjectAttributeInput,
  storages: readonly string[],
): Promise<{ readonly project: Project; readonly creator: User } | Failure<'invalid' | 'limitReached'>> {
  const creator = await findUserById(uow, creatorId);
  const target = await (namespaceId === null
    ? findPersonalTarget(uow, creatorId)
    : findTarget(uow, uow.actor, String(namespaceId)));
  if (creator === null || target === null || !mayCreateProjectsIn(uow.actor, target)) {
    return invalid({ namespace: ['is not valid'] });
  }
  if (target.group === null && (await hasReachedProjectLimit(uow, creator))) {
    return fail('limitReached', { limit: creator.projects_limit });
  }
  const project = await insertProject(uow, { creator, target }, input, storages);
  return isFailure(project) ? project : { project, creator };
}

/** Returns whether the user may create a project in the personal namespace: it exists and `projects_limit` is not reached. */
export async function mayCreatePersonalProject(db: Reader, userId: number): Promise<boolean> {
  const user = await findUserById(db, userId);
  if (user === null || (await findPersonalTarget(db, userId)) === null) return false;
  return !(await hasReachedProjectLimit(db, user));
}

/** Returns whether the user has reached the limit of personal projects. Projects in groups do not count. */
async function hasReachedProjectLimit(db: Reader, { id, projects_limit: limit }: User): Promise<boolean> {
  // index: namespaces_by_owner, projects_by_namespace
  const { count } = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespaces.owner_id', '=', id)
    .executeTakeFirstOrThrow();
  return count >= limit;
}

/** Content of a project from another server. */
interface ImportProjectInput {
  readonly path: string;
  readonly name: string;
  readonly visibility: Visibility;
  readonly values: ProjectAttributeInput;
  readonly importedState: ImportedProjectState;
}

/**
 * Creates a project from another server in a group where the actor is at least Maintainer, regardless of the group's
 * `project_creation_level` (contract/operations.md §1.4). Its visibility is the narrowest of its own, the group's and
 * the instance's. If the name is taken, `_1` is appended.
 */
export async function importProject(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  { path, name, visibility, values, importedState }: ImportProjectInput,
  storages: readonly string[],
): Promise<Project | Failure<'invalid'>> {
  const creator = await findUserById(uow, uow.actor.user.id);
  const target = await findTarget(uow, uow.actor, String(group.id));
  const mayImport = getGroupRole(uow.actor, group) >= MAINTAINER && !group.archived && !group.marked;
  if (creator === null || target === null || !mayImport) return invalid({ namespace: ['is not valid'] });
  const input = {
    ...resolveAttributes(values, '{}', uow),
    path,
    name: await findAvailableName(uow, group.id, name),
    visibility: getWidestAllowedVisibility(
      ANONYMOUS,
      minVisibility(visibility, group.visibility),
      await loadSettings(uow),
    ),
  };
  return insertProject(uow, { creator, target }, input, storages, importedState);
}

/** Creates the first commit of a new project, a README.md on its default branch, as the creator. */
async function initializeWithReadme(services: RefServices, project: Project, creator: User): Promise<void> {
  const { id, name, commit_email, email } = creator;
  const failure = await createInitialCommit(services, {
    project,
    actor: { server: true, userId: id },
    author: { name, email: commit_email ?? email },
    path: 'README.md',
    content: Buffer.from(buildReadme(project)),
    message: 'Initial commit',
  });
  if (isFailure(failure)) throw new Error(`Cannot create the first branch of project ${project.id}: ${failure.code}`);
}

/** Returns the content of README.md: the name as the title, then the description. */
function buildReadme({ name, description }: Pick<Project, 'name' | 'description'>): string {
  return `# ${name}\n${description ? `\n${description}\n` : ''}`;
}

/** The creator and target namespace of a new project. */
interface ProjectPlacement {
  readonly creator: User;
  readonly target: TargetNamespace;
}

/** State and timestamp of an imported project. */
type ImportedProjectState = Columns<'projects', 'archived' | 'created_at'>;

/**
 * Inserts a project with its route, repository row and owner, after validation. `importedState`: the state of an imported
 * project.
 */
async function insertProject(
  uow: UnitOfWork,
  placement: ProjectPlacement,
  input: ProjectAttributeInput,
  storages: readonly string[],
  importedState?: ImportedProjectState,
): Promise<Project | Failure<'invalid'>> {
  const { creator, target } = placement;
  const settings = await loadSettings(uow);
  const draft = await buildDraft(uow, input, target, { settings, storages });
  const { name, path, fullPath, visibility, defaultBranch } = draft;
  const takenFields = await findTakenFields(uow, { namespaceId: target.id, name, fullPath: fullPath.full_path });
  const errors = compactFieldErrors({
    name: validateName(name),
    path: validatePath(path),
    ...validateValues(input, storages),
    ...validateDefaultBranch(defaultBranch),
    visibility_level: validateAllowedVisibility(uow.actor, visibility, settings),
  });
  if (takenFields !== null || errors !== null) return invalid({ ...takenFields, ...errors });
  const id = await insertProjectRows(uow, draft, placement, importedState);
  const record = importedState === undefined ? recordProjectCreated : recordProjectImported;
  await record(uow, { id, full_path: fullPath.full_path }, creator.id);
  return reloadProject(uow, { id });
}

/** The values of a new project, with defaults applied. */
interface ProjectDraft {
  readonly name: string;
  readonly path: string;
  readonly fullPath: FullPath;
  readonly visibility: Visibility;
  readonly input: ProjectAttributeInput;
  readonly storage: string;
  readonly defaultBranch: string;
  readonly readOnly: boolean;
}

/** The settings of the instance and the names of its storages. */
interface InstanceOptions {
  readonly settings: ApplicationSettings;
  readonly storages: readonly string[];
}

/** Applies the defaults of the namespace and the instance to the input. */
async function buildDraft(
  uow: UnitOfWork,
  input: ProjectAttributeInput,
  target: TargetNamespace,
  { settings, storages }: InstanceOptions,
): Promise<ProjectDraft> {
  // Empty strings count as absent, here and below.
  const name = (input.name || input.path || '').trim();
  const path = input.path || derivePath(name);
  return {
    name,
    path,
    fullPath: buildChildPath(target, path, name),
    visibility: capVisibility(target, input.visibility ?? getDefaultVisibility(uow.actor, settings)),
    input,
    storage: input.repository_storage || chooseStorage(storages, settings.repository_storages_weighted),
    defaultBranch: stripRefPrefix(input.default_branch) || (await getInitialBranch(uow, target.id)),
    readOnly: input.repository_read_only === true,
  };
}

/** Returns the branch name of a full ref name; other names stay unchanged. */
const stripRefPrefix = (branch: string | null | undefined) =>
  branch?.startsWith(HEADS) ? branch.slice(HEADS.length) : branch;

/**
 * Inserts the project, its topics, route and repository row, and returns its id. The owner of a personal namespace
 * becomes an explicit Owner.
 */
async function insertProjectRows(
  tx: Transaction,
  draft: ProjectDraft,
  { creator, target }: ProjectPlacement,
  importedState: ImportedProjectState | undefined,
): Promise<number> {
  const { name, path, visibility, input } = draft;
  const { id } = await tx
    .insertInto('projects')
    .values({
      ...toProjectColumns(input),
      namespace_id: target.id,
      creator_id: creator.id,
      path,
      name,
      name_key: foldCase(name),
      visibility,
      attributes: mergeStoredAttributes('{}', pickStoredAttributes(input)),
      last_activity_at: tx.now,
      created_at: tx.now,
      updated_at: tx.now,
      ...(importedState && { ...importedState, imported_from: 'gitlab_migration' }),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await setProjectTopics(tx, id, input.topics ?? []);
  await insertRoute(tx, { project_id: id }, draft.fullPath);
  await insertRepository(tx, id, draft, target);
  if (target.owner_id !== null) {
    const membershipInput = { userId: target.owner_id, accessLevel: OWNER, createdById: creator.id };
    await createMembership(tx, { type: 'project', id }, membershipInput);
  }
  return id;
}

/** Inserts the row of the repository; its directory is created at the first write. */
async function insertRepository(
  tx: Transaction,
  id: number,
  { storage, defaultBranch, readOnly }: ProjectDraft,
  { group }: TargetNamespace,
): Promise<void> {
  const protection = group && parseGroupAttributes(group.attributes).default_branch_protection_defaults;
  const row = {
    project_id: id,
    storage,
    disk_path: toDiskPath(id),
    default_branch: defaultBranch,
    default_branch_protection: protection && JSON.stringify(protection),
    read_only: readOnly,
  };
  await tx.insertInto('repositories').values(row).execute();
}
