import { groupAttributes } from '../../../access/group-attributes.ts';
import { addMembership } from '../../../access/memberships.ts';
import { nameProblems, pathProblems } from '../../../access/names.ts';
import { findProject, type Project } from '../../../access/projects.ts';
import { OWNER } from '../../../access/roles.ts';
import { childOf, insertRoute, type Place } from '../../../access/routes.ts';
import { restrictedErrors } from '../../../access/visibility.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import { foldCase } from '../../../database/keys.ts';
import type { Visibility } from '../../../database/tables/access.ts';
import type { Act } from '../../../facts/act.ts';
import { HEADS } from '../../../git/names.ts';
import { diskPathFor } from '../../../git/storage.ts';
import type { Rooms } from '../../../http/rooms.ts';
import type { Caller } from '../../../identity/caller.ts';
import { readUser, type User } from '../../../identity/users.ts';
import { fieldErrors, invalid, isRefused, type Refused, refused } from '../../../refused.ts';
import type { RefRooms } from '../../../repositories/rooms.ts';
import { type ApplicationSettings, readSettings } from '../../../settings/settings.ts';
import type { AttributeValues } from './attributes.ts';
import { columnsOf } from './columns.ts';
import { recordCreated } from './history.ts';
import { initializeWithReadme } from './initialize.ts';
import { readAgain } from './place.ts';
import { sentAttributes } from './sent-attributes.ts';
import { storedPart, withStored } from './stored-attributes.ts';
import { takenFields } from './taken.ts';
import { findTarget, initialBranch, mayPutProjects, personalTargetOf, type Target } from './target.ts';
import { branchErrors, chooseStorage, defaultVisibility, pathFromName, valueErrors, visibilityIn } from './values.ts';

/** What a caller sends for a new project. */
export interface ProjectWish {
  readonly values: AttributeValues;
  /** Begins with a README.md. */
  readonly readme: boolean;
  readonly importUrl: string | null | undefined;
}

/** Whose project it is called, and where it is. */
interface Origin {
  readonly creatorId: number;
  /** Null: the creator's own namespace. */
  readonly namespaceId: number | null;
}

type CreatingRooms = RefRooms & Pick<Rooms, 'config'>;
type CreateRefusal = 'importUnsupported' | 'invalid' | 'limitReached';

/**
 * Makes a project with its place, its repository's row and its owner, and with `readme` its first commit
 * (contract/planning.md §3.3 "POST /projects").
 */
export async function create(
  rooms: CreatingRooms,
  caller: Caller,
  origin: Origin,
  { values, readme, importUrl }: ProjectWish,
): Promise<Project | Refused<CreateRefusal>> {
  if (importUrl) return refused('importUnsupported');
  const storages = Object.keys(rooms.config.storages);
  const made = await rooms.acting(caller, (act) => insert(act, origin, sentAttributes(values, '{}', act), storages));
  if (isRefused(made)) return made;
  if (!readme) return made.project;
  const { project, creator } = made;
  await initializeWithReadme(rooms, project, creator);
  return (await findProject(rooms.database.reader, caller, String(project.id))) ?? project;
}

/** All that decides is read here: the namespace may get another path or visibility, or go, while its project is made. */
async function insert(
  act: Act,
  { creatorId, namespaceId }: Origin,
  sent: AttributeValues,
  storages: readonly string[],
): Promise<{ readonly project: Project; readonly creator: User } | Refused<'invalid' | 'limitReached'>> {
  const creator = await readUser(act, creatorId);
  const target = await (namespaceId === null
    ? personalTargetOf(act, creatorId)
    : findTarget(act, act.by, String(namespaceId)));
  if (creator === null || target === null || !mayPutProjects(act.by, target)) {
    return invalid({ namespace: ['is not valid'] });
  }
  if (target.group === null && (await isAtLimit(act, creator))) {
    return refused('limitReached', { limit: creator.projects_limit });
  }
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
  const id = await insertProject(act, draft, creator, target);
  await recordCreated(act, { id, full_path: place.full_path }, creator.id);
  return { project: await readAgain(act, { id }), creator };
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

/** Has he as many projects of his own as he may have? Those in groups don't count. */
async function isAtLimit(db: Reader, { id, projects_limit: limit }: User): Promise<boolean> {
  // index: namespaces_by_owner, projects_by_namespace
  const { count } = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespaces.owner_id', '=', id)
    .executeTakeFirstOrThrow();
  return count >= limit;
}

async function insertProject(tx: Transaction, draft: Draft, creator: User, target: Target): Promise<number> {
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
