import { isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { findGroup } from '#domain/namespaces/groups.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import type { Services } from '#http/services.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import type { ImportTarget, SourceGroupOrProject } from '../bulk-import-relations/index.ts';
import { DestinationDeleted, ImporterBlocked, ImportStopped } from './failures.ts';
import type { SourceClient } from './source.ts';
import type { ImportJobs } from './states.ts';
import { type EntityRow, findEntityById } from './store.ts';

/** Context of one run of the job that copies an entity. */
export interface EntityRun {
  readonly services: Pick<Services, 'database' | 'runUnitOfWork' | 'git' | 'log' | 'outbound'>;
  readonly jobs: ImportJobs;
  readonly sourceClient: SourceClient;
  readonly token: string;
  /** The importing user. */
  readonly importer: SignedInCaller;
  readonly entity: EntityRow;
  readonly signal: AbortSignal;
  readonly now: () => string;
  /** Timestamp after which the run yields to other entities, at the next page or relation. */
  readonly deadline: string;
}

export const getImportIds = ({ entity }: EntityRun) => ({ importId: entity.bulk_import_id, entityId: entity.id });

/** Reloads the entity. Throws ImportStopped if its state is no longer `started`. */
export async function requireRunningEntity(db: Reader, { entity }: EntityRun): Promise<EntityRow> {
  const row = await findEntityById(db, entity.id);
  if (row?.status !== 'started') throw new ImportStopped();
  return row;
}

/** Reloads the destination. Called inside a transaction, it stops a cancelled import before anything is written. */
export async function loadTarget(db: Reader, run: EntityRun): Promise<ImportTarget> {
  const row = await requireRunningEntity(db, run);
  const destination = await loadDestination(db, await loadImporter(db, row.user_id), row);
  if (destination === null || row.source_id === null) throw new DestinationDeleted();
  return {
    ...getImportIds(run),
    source: toSourceGroupOrProject(row, row.source_id),
    destination,
    migrateProjects: row.migrate_projects,
    migrateMemberships: row.migrate_memberships,
  };
}

/** Reloads the importing user. Throws ImporterBlocked if their account is not active. */
export async function loadImporter(db: Reader, userId: number): Promise<SignedInCaller> {
  const caller = await loadActor(db, userId);
  if (!isSignedIn(caller) || caller.user.state !== 'active') throw new ImporterBlocked();
  return caller;
}

/** Returns the group or project that the entity created, with the role of the caller; null if it was deleted. */
async function loadDestination(db: Reader, caller: SignedInCaller, row: EntityRow): Promise<GroupOrProject | null> {
  if (row.namespace_id !== null) {
    const group = await findGroup(db, caller, String(row.namespace_id));
    return group && { group };
  }
  const project = row.project_id === null ? null : await findProject(db, caller, String(row.project_id));
  return project && { project };
}

function toSourceGroupOrProject(
  { source_type, source_full_path, parent_id }: EntityRow,
  id: number,
): SourceGroupOrProject {
  const kind = source_type === 'group_entity' ? 'group' : 'project';
  return { kind, id, fullPath: source_full_path, isChild: parent_id !== null };
}
