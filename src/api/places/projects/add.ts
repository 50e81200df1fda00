import { groupAttributes } from '../../../access/group-attributes.ts';
import { initialBranch } from '../../../access/initial-branch.ts';
import { addMembership } from '../../../access/memberships.ts';
import { nameProblems, pathProblems } from '../../../access/names.ts';
import type { Project } from '../../../access/projects.ts';
import { OWNER } from '../../../access/roles.ts';
import { childOf, insertRoute, type Place } from '../../../access/routes.ts';
import { restrictedErrors } from '../../../access/visibility.ts';
import type { Transaction } from '../../../database/database.ts';
import { foldCase } from '../../../database/keys.ts';
import type { Visibility } from '../../../database/tables/access.ts';
import type { Act } from '../../../facts/act.ts';
import { HEADS } from '../../../git/names.ts';
import { diskPathFor } from '../../../git/storage.ts';
import type { User } from '../../../identity/users.ts';
import { fieldErrors, invalid, type Refused } from '../../../refused.ts';
import { chooseStorage } from '../../../repositories/choose-storage.ts';
import { type ApplicationSettings, readSettings } from '../../../settings/settings.ts';
import type { AttributeValues } from './attributes.ts';
import { columnsOf } from './columns.ts';
import { recordCreated, recordImported } from './history.ts';
import { readAgain } from './place.ts';
import { storedPart, withStored } from './stored-attributes.ts';
import { takenFields } from './taken.ts';
import type { Target } from './target.ts';
import { branchErrors, defaultVisibility, pathFromName, valueErrors, visibilityIn } from './values.ts';

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
  act: Act,
  placing: Placing,
  sent: AttributeValues,
  storages: readonly string[],
  past?: ProjectPast,
): Promise<Project | Refused<'invalid'>> {
  const { creator, target } = placing;
  const settings = await readSettings(act);
  const draft = await draftOf(act, sent, target, { settings, storages });
  const { name, path, place, visibility, defaultBranch } = draft;
  const taken = await takenFields(act, { namespaceId: target.id, name, fullPath: place.full_path });
  const wrong = fieldErrors({
    name: nameProblems(name),
    path: pathProblems(path),
    ...valueErrors(sent, storages),
    ...branchErrors(defaultBranch),
    visibility_level: restrictedErrors(act.by, visibility, settings),
  });
  if (taken !== null || wrong !== null) return invalid({ ...taken, ...wrong });
  const id = await insertProject(act, draft, placing, past);
  const record = past === undefined ? recordCreated : recordImported;
  await record(act, { id, full_path: place.full_path }, creator.id);
  return readAgain(act, { id });
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
  act: Act,
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
    visibility: visibilityIn(target, sent.visibility ?? defaultVisibility(act.by, settings)),
    sent,
    storage: sent.repository_storage || chooseStorage(storages, settings.repository_storages_weighted),
    defaultBranch: branchName(sent.default_branch) || (await initialBranch(act, target.id)),
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
