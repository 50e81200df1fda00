import { setProjectTopics } from '#api/namespaces/topics/index.ts';
import type { User } from '#authentication/users/users.ts';
import { validateAllowedVisibility } from '#authorization/visibility.ts';
import type { Columns, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { Visibility } from '#database/schema.ts';
import { createMembership } from '#domain/members/memberships.ts';
import { OWNER } from '#domain/members/roles.ts';
import { getInitialBranch, parseGroupAttributes } from '#domain/namespaces/group-attributes.ts';
import { validateName, validatePath } from '#domain/namespaces/name-validation.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { buildChildPath, type FullPath, insertRoute } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { HEADS } from '#git/ref-names.ts';
import { toDiskPath } from '#git/storage/storage.ts';
import { chooseStorage } from '#repositories/choose-storage.ts';
import { compactFieldErrors, type Failure, invalid } from '#runtime/failure.ts';
import { type ApplicationSettings, loadSettings } from '#settings/settings.ts';
import { recordProjectCreated, recordProjectImported } from '../activity.ts';
import type { ProjectAttributeInput } from '../attributes/attributes.ts';
import { toProjectColumns } from '../attributes/columns.ts';
import { mergeStoredAttributes, pickStoredAttributes } from '../attributes/stored-attributes.ts';
import { reloadProject } from '../move-route.ts';
import { findTakenFields } from '../unique-errors.ts';
import {
  capVisibility,
  derivePath,
  getDefaultVisibility,
  validateDefaultBranch,
  validateValues,
} from '../validation.ts';
import type { TargetNamespace } from './target-namespace.ts';

/** The creator and target namespace of a new project. */
interface ProjectPlacement {
  readonly creator: User;
  readonly target: TargetNamespace;
}

/** State and timestamp of an imported project. */
export type ImportedProjectState = Columns<'projects', 'archived' | 'created_at'>;

/**
 * Inserts a project with its route, repository row and owner, after validation. `importedState`: the state of an imported
 * project.
 */
export async function insertProject(
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

interface InstanceOptions {
  readonly settings: ApplicationSettings;
  readonly storages: readonly string[];
}

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
