import type { User } from '#authentication/users/users.ts';
import { restrictedErrors } from '#authorization/visibility-levels.ts';
import type { Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { Visibility } from '#database/tables/domain.ts';
import { addMembership } from '#domain/members/memberships.ts';
import { OWNER } from '#domain/members/roles.ts';
import { groupAttributes } from '#domain/namespaces/group-attributes.ts';
import { initialBranch } from '#domain/namespaces/initial-default-branch.ts';
import { nameProblems, pathProblems } from '#domain/namespaces/name-validation.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { childOf, insertRoute, type Place } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { HEADS } from '#git/ref-names.ts';
import { diskPathFor } from '#git/storage/storage.ts';
import { chooseStorage } from '#repositories/choose-storage.ts';
import { type Failure, fieldErrors, invalid } from '#runtime/failure.ts';
import { type ApplicationSettings, readSettings } from '#settings/settings.ts';
import { recordCreated, recordImported } from '../activity.ts';
import type { AttributeValues } from '../attributes/attributes.ts';
import { columnsOf } from '../attributes/columns.ts';
import { storedPart, withStored } from '../attributes/stored-attributes.ts';
import { readAgain } from '../move-route.ts';
import { takenFields } from '../unique-errors.ts';
import { branchErrors, defaultVisibility, pathFromName, valueErrors, visibilityIn } from '../validation.ts';
import type { Target } from './target-namespace.ts';

/** Whose a new project is, and where it is. */
interface Placing {
  readonly creator: User;
  readonly target: Target;
}

/** What a project was like on another server. */
export interface ProjectPast {
  readonly archived: boolean;
  readonly created_at: string;
}

/**
 * Adds a project with its place, its repository's row and its owner, where whoever acts may; `past`: of one that was on another
 * server before.
 */
export async function addProject(
  uow: UnitOfWork,
  placing: Placing,
  sent: AttributeValues,
  storages: readonly string[],
  past?: ProjectPast,
): Promise<Project | Failure<'invalid'>> {
  const { creator, target } = placing;
  const settings = await readSettings(uow);
  const draft = await draftOf(uow, sent, target, { settings, storages });
  const { name, path, place, visibility, defaultBranch } = draft;
  const taken = await takenFields(uow, { namespaceId: target.id, name, fullPath: place.full_path });
  const wrong = fieldErrors({
    name: nameProblems(name),
    path: pathProblems(path),
    ...valueErrors(sent, storages),
    ...branchErrors(defaultBranch),
    visibility_level: restrictedErrors(uow.actor, visibility, settings),
  });
  if (taken !== null || wrong !== null) return invalid({ ...taken, ...wrong });
  const id = await insertProject(uow, draft, placing, past);
  const record = past === undefined ? recordCreated : recordImported;
  await record(uow, { id, full_path: place.full_path }, creator.id);
  return readAgain(uow, { id });
}

interface Draft {
  readonly name: string;
  readonly path: string;
  readonly place: Place;
  readonly visibility: Visibility;
  readonly sent: AttributeValues;
  readonly storage: string;
  readonly defaultBranch: string;
  readonly readOnly: boolean;
}

interface Instance {
  readonly settings: ApplicationSettings;
  readonly storages: readonly string[];
}

async function draftOf(
  uow: UnitOfWork,
  sent: AttributeValues,
  target: Target,
  { settings, storages }: Instance,
): Promise<Draft> {
  const name = sent.name?.trim() || sent.path || '';
  const path = sent.path || pathFromName(name);
  return {
    name,
    path,
    place: childOf(target, path, name),
    visibility: visibilityIn(target, sent.visibility ?? defaultVisibility(uow.actor, settings)),
    sent,
    storage: sent.repository_storage || chooseStorage(storages, settings.repository_storages_weighted),
    defaultBranch: branchName(sent.default_branch) || (await initialBranch(uow, target.id)),
    readOnly: sent.repository_read_only === true,
  };
}

/** Clients name it by its ref as well. */
const branchName = (branch: string | null | undefined) =>
  branch?.startsWith(HEADS) ? branch.slice(HEADS.length) : branch;

async function insertProject(
  tx: Transaction,
  draft: Draft,
  { creator, target }: Placing,
  past: ProjectPast | undefined,
): Promise<number> {
  const { name, path, visibility, sent } = draft;
  const { id } = await tx
    .insertInto('projects')
    .values({
      ...columnsOf(sent),
      namespace_id: target.id,
      creator_id: creator.id,
      path,
      name,
      name_key: foldCase(name),
      visibility,
      attributes: withStored('{}', storedPart(sent)),
      last_activity_at: tx.now,
      created_at: tx.now,
      updated_at: tx.now,
      ...(past && { ...past, imported_from: 'gitlab_migration' }),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertRoute(tx, { project_id: id }, draft.place);
  await insertRepository(tx, id, draft, target);
  if (target.owner_id !== null) {
    const owner = { userId: target.owner_id, accessLevel: OWNER, createdById: creator.id };
    await addMembership(tx, { type: 'project', id }, owner);
  }
  return id;
}

async function insertRepository(
  tx: Transaction,
  id: number,
  { storage, defaultBranch, readOnly }: Draft,
  { group }: Target,
): Promise<void> {
  const protection = group && groupAttributes(group.attributes).default_branch_protection_defaults;
  const row = {
    project_id: id,
    storage,
    disk_path: diskPathFor(id),
    default_branch: defaultBranch,
    default_branch_protection: protection && JSON.stringify(protection),
    read_only: readOnly,
  };
  await tx.insertInto('repositories').values(row).execute();
}
