import { addMembership } from '../../access/memberships.ts';
import { findProject } from '../../access/projects.ts';
import { OWNER } from '../../access/roles.ts';
import { childOf, insertRoute } from '../../access/routes.ts';
import { type Clock, today } from '../../clock.ts';
import type { Config } from '../../config.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { foldCase } from '../../database/keys.ts';
import type { Visibility } from '../../database/tables/access.ts';
import { diskPathFor } from '../../git/storage.ts';
import { recordActivity } from '../../history/index.ts';
import { type Caller, isAdministrator } from '../../identity/caller.ts';
import { readUser, type User } from '../../identity/users.ts';
import { isRefused, type Refused, refused } from '../../refused.ts';
import type { SettlingRooms } from '../../repositories/settle.ts';
import { type ApplicationSettings, readSettings } from '../../settings/settings.ts';
import { type AttributeValues, sentAttributes, storedPart, withStored } from './attributes.ts';
import { auditProject } from './audit.ts';
import { columnsOf } from './columns.ts';
import { initializeWithReadme } from './initialize.ts';
import { orTaken, takenFields, withTaken } from './taken.ts';
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
  const { reader: db } = rooms.database;
  const creator = await readUser(db, project.creatorId);
  const target = await targetOf(db, project, today(rooms.clock));
  if (creator === null || target === null || !(await mayPutProjects(db, project.caller, target))) {
    return refused('invalid', { errors: { namespace: ['is not valid'] } });
  }
  const id = await insert(rooms, project, creator, target);
  if (!project.readme || isRefused(id)) return id;
  const made = await findProject(db, project.caller, String(id), today(rooms.clock));
  if (made !== null) await initializeWithReadme(rooms, made, creator);
  return id;
}

function targetOf(db: Reader, { caller, creatorId, namespaceId }: NewProject, date: string): Promise<Target | null> {
  if (namespaceId === null) return personalTargetOf(db, creatorId);
  return findTarget(db, String(namespaceId), { caller, today: date });
}

async function insert(
  rooms: CreatingRooms,
  project: NewProject,
  creator: User,
  target: Target,
): Promise<number | Refused<'invalid'>> {
  const { reader: db } = rooms.database;
  const { caller } = project;
  const settings = await readSettings(db);
  const draft = await draftOf(db, rooms, project, target, settings);
  const errors = { ...draft.errors, ...(await limitErrors(db, creator, target)) };
  const invalid = (taken: readonly ('name' | 'path')[]) => refused('invalid', { errors: withTaken(errors, taken) });
  const work = () =>
    rooms.database.transaction(async (tx) => {
      const taken = await takenFields(tx, {
        namespaceId: target.id,
        name: draft.name,
        fullPath: draft.place.full_path,
      });
      if (taken.length > 0 || Object.keys(errors).length > 0) return invalid(taken);
      const id = await insertProject(tx, draft, creator, target);
      const made = { id, full_path: draft.place.full_path };
      await recordActivity(tx, { projectId: id, authorId: creator.id, action: 'created', target: { type: 'Project' } });
      await auditProject(tx, { caller, tier: rooms.config.tier }, made, {
        name: 'project_created',
        message: 'Added project',
      });
      return id;
    });
  const made = await orTaken(work, (field) => invalid([field]));
  return isRefused(made) ? (made as Refused<'invalid'>) : made;
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
  { config }: CreatingRooms,
  { values, caller }: NewProject,
  target: Target,
  settings: ApplicationSettings,
): Promise<Draft> {
  const sent = sentAttributes(values);
  const name = sent.name?.trim() || sent.path || '';
  const path = sent.path || pathFromName(name);
  const storages = Object.keys(config.storages);
  const asAdministrator = isAdministrator(caller);
  const wanted = visibilityIn(target, sent.visibility ?? defaultVisibility(caller, settings));
  return {
    name,
    path,
    place: childOf(target, path, name),
    visibility: wanted,
    sent,
    storage:
      (asAdministrator && sent.repository_storage) || chooseStorage(storages, settings.repository_storages_weighted),
    defaultBranch: sent.default_branch || (await initialBranch(db, target.id)),
    readOnly: asAdministrator && sent.repository_read_only === true,
    errors: {
      ...nameErrors({ name, path }),
      ...valueErrors(sent, caller, storages),
      ...branchErrors(sent.default_branch || null),
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
