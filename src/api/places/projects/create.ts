import { addMembership } from '../../../access/memberships.ts';
import { findProject } from '../../../access/projects.ts';
import { OWNER } from '../../../access/roles.ts';
import { childOf, insertRoute } from '../../../access/routes.ts';
import { type Clock, today } from '../../../clock.ts';
import type { Config } from '../../../config.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import { foldCase } from '../../../database/keys.ts';
import type { Visibility } from '../../../database/tables/access.ts';
import { diskPathFor } from '../../../git/storage.ts';
import { recordActivity } from '../../../history/index.ts';
import { type Caller, isAdministrator } from '../../../identity/caller.ts';
import { readUser, type User } from '../../../identity/users.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import type { SettlingRooms } from '../../../repositories/settle.ts';
import { readSettings } from '../../../settings/settings.ts';
import { type AttributeValues, sentAttributes, storedPart, withStored } from './attributes.ts';
import { auditProject } from './audit.ts';
import { columnsOf } from './columns.ts';
import { initializeWithReadme } from './initialize.ts';
import { orTaken, type TakenField, takenFields, withTaken } from './taken.ts';
import { findTarget, initialBranch, mayPutProjects, personalTargetOf, type Target } from './target.ts';
import {
  branchErrors,
  chooseStorage,
  defaultVisibility,
  type Errors,
  nameErrors,
  pathFromName,
  valueErrors,
  visibilityErrors,
  visibilityIn,
} from './values.ts';

export interface NewProject {
  readonly caller: Caller;
  /** Whose project it is called. */
  readonly creatorId: number;
  /** Null: the creator's own. */
  readonly namespaceId: number | null;
  readonly values: AttributeValues;
  /** Begins with a README.md. */
  readonly readme: boolean;
}

interface CreatingRooms extends SettlingRooms {
  readonly config: Pick<Config, 'tier' | 'storages'>;
  readonly clock: Clock;
}

/**
 * Makes a project with its place, its repository's row and its owner, and with `readme` its first commit; gives its id
 * (contract/planning.md §3.3 "POST /projects").
 */
export async function create(rooms: CreatingRooms, project: NewProject): Promise<number | Refused<'invalid'>> {
  // What was free when it was asked for may have been taken by another's commit.
  const taken = (field: TakenField) => refused('invalid', { errors: withTaken({}, [field]) });
  const made = await orTaken(() => rooms.database.transaction((tx) => insert(tx, rooms, project)), taken);
  if (isRefused(made)) return made as Refused<'invalid'>;
  const { id, creator } = made;
  if (project.readme) await addReadme(rooms, project, id, creator);
  return id;
}

async function addReadme(rooms: CreatingRooms, { caller }: NewProject, id: number, creator: User): Promise<void> {
  const made = await findProject(rooms.database.reader, caller, String(id));
  if (made !== null) await initializeWithReadme(rooms, made, creator);
}

function targetOf(db: Reader, { caller, creatorId, namespaceId }: NewProject, date: string): Promise<Target | null> {
  if (namespaceId === null) return personalTargetOf(db, creatorId);
  return findTarget(db, String(namespaceId), { caller, today: date });
}

/** All that decides is read here: the namespace may get another path or visibility, or go, while its project is made. */
async function insert(
  tx: Transaction,
  { config }: CreatingRooms,
  project: NewProject,
): Promise<{ id: number; creator: User } | Refused<'invalid'>> {
  const { caller } = project;
  const creator = await readUser(tx, project.creatorId);
  const target = await targetOf(tx, project, tx.now.slice(0, 10));
  if (creator === null || target === null || !(await mayPutProjects(tx, caller, target))) {
    return refused('invalid', { errors: { namespace: ['is not valid'] } });
  }
  const draft = await draftOf(tx, config, project, target);
  const { name, place } = draft;
  const errors = { ...draft.errors, ...(await limitErrors(tx, creator, target)) };
  const taken = await takenFields(tx, { namespaceId: target.id, name, fullPath: place.full_path });
  if (taken.length > 0 || Object.keys(errors).length > 0)
    return refused('invalid', { errors: withTaken(errors, taken) });
  const id = await insertProject(tx, draft, creator, target);
  await recordActivity(tx, { projectId: id, authorId: creator.id, action: 'created', target: { type: 'Project' } });
  const event = { name: 'project_created', message: 'Added project' } as const;
  await auditProject(tx, { caller, tier: config.tier }, { id, full_path: place.full_path }, event);
  return { id, creator };
}

interface Draft {
  readonly name: string;
  readonly path: string;
  readonly place: { readonly full_path: string; readonly full_name: string };
  readonly visibility: Visibility;
  readonly sent: AttributeValues;
  readonly storage: string;
  readonly defaultBranch: string;
  readonly readOnly: boolean;
  readonly errors: Errors;
}

async function draftOf(
  db: Reader,
  config: CreatingRooms['config'],
  { values, caller }: NewProject,
  target: Target,
): Promise<Draft> {
  const settings = await readSettings(db);
  const sent = sentAttributes(values);
  const name = sent.name?.trim() || sent.path || '';
  const path = sent.path || pathFromName(name);
  const storages = Object.keys(config.storages);
  const asAdministrator = isAdministrator(caller);
  const defaultBranch = sent.default_branch || (await initialBranch(db, target.id));
  const wanted = visibilityIn(target, sent.visibility ?? defaultVisibility(caller, settings));
  return {
    name,
    path,
    place: childOf(target, path, name),
    visibility: wanted,
    sent,
    storage:
      (asAdministrator && sent.repository_storage) || chooseStorage(storages, settings.repository_storages_weighted),
    defaultBranch,
    readOnly: asAdministrator && sent.repository_read_only === true,
    errors: {
      ...nameErrors({ name, path }),
      ...valueErrors(sent, caller, storages),
      ...branchErrors(defaultBranch),
      ...visibilityErrors(wanted, caller, settings),
    },
  };
}

/** How many projects of their own users may have; groups don't count. */
async function limitErrors(db: Reader, { projects_limit: limit }: User, target: Target): Promise<Errors> {
  if (target.group !== null) return {};
  // index: projects_by_namespace
  const { count } = await db
    .selectFrom('projects')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespace_id', '=', target.id)
    .executeTakeFirstOrThrow();
  if (count < limit) return {};
  const text = `Your project limit is ${limit} projects! Please contact your administrator to increase it`;
  return { limit_reached: [text] };
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
  await insertRepository(tx, id, draft);
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
): Promise<void> {
  const disk_path = diskPathFor(id);
  const row = { project_id: id, storage, disk_path, default_branch: defaultBranch, read_only: readOnly };
  await tx.insertInto('repositories').values(row).execute();
}
