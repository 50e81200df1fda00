import { isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { findGroup } from '#domain/namespaces/groups.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import type { Services } from '#http/services.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import type { SourcePlace, Target } from '../bulk-import-relations/index.ts';
import { DestinationGone, ShutOut, Stopped } from './interruptions.ts';
import type { Source } from './source.ts';
import type { Work } from './states.ts';
import { type EntityRow, readEntity } from './store.ts';

/** An entity that is being copied, in this run of its work. */
export interface Running {
  readonly services: Pick<Services, 'database' | 'runUnitOfWork' | 'git' | 'log' | 'outbound'>;
  readonly work: Work;
  readonly source: Source;
  readonly token: string;
  /** The importing user. */
  readonly by: SignedInCaller;
  readonly entity: EntityRow;
  readonly signal: AbortSignal;
  readonly now: () => string;
  /** From then on others have their turn, at the next place where that costs nothing. */
  readonly until: string;
}

export const ids = ({ entity }: Running) => ({ importId: entity.bulk_import_id, entityId: entity.id });

/** The entity as it is now. Throws Stopped when it is no longer to be copied. */
export async function stillRunning(db: Reader, { entity }: Running): Promise<EntityRow> {
  const row = await readEntity(db, entity.id);
  if (row?.status !== 'started') throw new Stopped();
  return row;
}

/** What is filled, as it is now: in an act the last moment at which a cancelled import can be stopped. */
export async function targetNow(db: Reader, running: Running): Promise<Target> {
  const row = await stillRunning(db, running);
  const place = await placeOf(db, await importerOf(db, row.user_id), row);
  if (place === null || row.source_id === null) throw new DestinationGone();
  return {
    ...ids(running),
    source: sourcePlaceOf(row, row.source_id),
    place,
    migrateProjects: row.migrate_projects,
    migrateMemberships: row.migrate_memberships,
  };
}

/** The importing user as he is now. Throws ShutOut when he may import nothing. */
export async function importerOf(db: Reader, userId: number): Promise<SignedInCaller> {
  const by = await loadActor(db, userId);
  if (!isSignedIn(by) || by.user.state !== 'active') throw new ShutOut();
  return by;
}

async function placeOf(db: Reader, by: SignedInCaller, row: EntityRow): Promise<GroupOrProject | null> {
  if (row.namespace_id !== null) {
    const group = await findGroup(db, by, String(row.namespace_id));
    return group && { group };
  }
  const project = row.project_id === null ? null : await findProject(db, by, String(row.project_id));
  return project && { project };
}

function sourcePlaceOf({ source_type, source_full_path, parent_id }: EntityRow, id: number): SourcePlace {
  const kind = source_type === 'group_entity' ? 'group' : 'project';
  return { kind, id, fullPath: source_full_path, isChild: parent_id !== null };
}
