import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { findGroup, type Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { isParameterObject, type RawParameters } from '#http/parameters/brackets.ts';
import { readParameters } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import type { Services } from '#http/services.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import {
  DESTINATION_CREATIONS,
  type DestinationCreation,
  GROUP_RELATIONS,
  PROJECT_RELATIONS,
  type Relation,
} from '../bulk-import-relations/index.ts';
import { projectEntities, subgroups } from './child-entities.ts';
import { checkDestination, isPathTaken } from './destination.ts';
import {
  CallFailed,
  DestinationDeleted,
  ImporterBlocked,
  type ImportFailure,
  ImportStopped,
  ResumeLater,
  recordFailure,
  toImportFailure,
} from './failures.ts';
import { runRelation } from './run-relation.ts';
import { runRepository, runWiki, unlockRepositories } from './run-repository.ts';
import { type EntityRun, getImportIds, loadImporter, requireRunningEntity } from './running-entity.ts';
import { createSourceClient, findConfiguration, getSourceEntityPath } from './source.ts';
import { callSource, formatUnsuccessfulResponse } from './source-calls.ts';
import { enqueueAdvanceOfUser, type ImportJobs } from './states.ts';
import {
  type EntityRow,
  findEntityById,
  findOrCreateTrackers,
  type TrackerRow,
  updateEntity,
  updateTracker,
} from './store.ts';

// Copies one group or project: its relations in order, continuing at the last stored page (contract/operations.md §1.4).

/** Time after which a run yields to other entities, in milliseconds. */
const TIME_SLICE_MS = 30_000;

/** Relations of a group, and its child entities. */
const GROUP_STEPS: readonly Relation[] = [...GROUP_RELATIONS, projectEntities, subgroups];

/** Names of the trackers that copy a git repository instead of a list. */
const REPOSITORY = 'repository';
const WIKI = 'wiki';

/**
 * Runs an entity until it ends, its time slice is over or a call must be retried later. Aborting `signal` throws, so that the
 * queue retries the job.
 */
export async function runEntity(
  services: EntityServices,
  jobs: ImportJobs,
  entityId: number,
  signal: AbortSignal,
): Promise<void> {
  const entity = await findEntityById(services.database.forRequest().reader, entityId);
  if (entity === undefined) return;
  if (entity.status !== 'started') return cleanUpEndedEntity(services, entity);
  using watch = watchEntity(services, entityId, signal);
  try {
    const run = await startRun(services, jobs, entity, watch.signal);
    const failure = run === null ? toEntityFailure(entity, 'The token of the source is gone') : await runRelations(run);
    await endEntity(services, jobs, entity, failure);
  } catch (error) {
    if (error instanceof ResumeLater) return scheduleResume(services, jobs, entity, error);
    if (error instanceof DestinationDeleted)
      return endEntity(services, jobs, entity, toEntityFailure(entity, DESTINATION_DELETED_MESSAGE));
    if (error instanceof ImporterBlocked)
      return endEntity(services, jobs, entity, toEntityFailure(entity, IMPORTER_BLOCKED_MESSAGE));
    if (!(error instanceof ImportStopped)) throw error;
    // The server stops: the queue retries the job.
    if (signal.aborted) throw error;
    await cleanUpEndedEntity(services, entity);
  }
}

const DESTINATION_DELETED_MESSAGE = 'The destination is gone';
const IMPORTER_BLOCKED_MESSAGE = 'The importing user is shut out';

function toEntityFailure(entity: EntityRow, message: string): EntityFailure {
  return { relation: getKind(entity), failure: { step: 'loader', class: 'BulkImports::Error', message } };
}

/** The services for the import of one entity. */
export type EntityServices = EntityRun['services'] & Pick<Services, 'clock' | 'secretKey'>;

interface EntityFailure {
  readonly relation: string;
  readonly failure: ImportFailure;
}

/** Creates the context of a run. Returns null if the configuration of the source was deleted. */
async function startRun(
  services: EntityServices,
  jobs: ImportJobs,
  entity: EntityRow,
  signal: AbortSignal,
): Promise<EntityRun | null> {
  const { database, outbound, clock } = services;
  const db = database.forRequest().reader;
  const now = () => timestamp(clock);
  const importer = await loadImporter(db, entity.user_id);
  const configuration = await findConfiguration(db, await services.secretKey(), entity.bulk_import_id);
  if (configuration === null) return null;
  const source = createSourceClient(outbound, configuration, importer.user.id);
  const { token } = configuration;
  return {
    services,
    jobs,
    sourceClient: source,
    token,
    importer,
    entity,
    signal,
    now,
    deadline: addMilliseconds(now(), TIME_SLICE_MS),
  };
}

const getKind = ({ source_type }: Pick<EntityRow, 'source_type'>) =>
  source_type === 'group_entity' ? 'group' : 'project';

/** Runs the remaining relations. Returns the failure that ends the entity, or null if all have ended. */
async function runRelations(run: EntityRun): Promise<EntityFailure | null> {
  const { services, entity } = run;
  const kind = getKind(entity);
  const relations = kind === 'group' ? GROUP_STEPS : PROJECT_RELATIONS;
  const names = [kind, ...(kind === 'project' ? [REPOSITORY, WIKI] : []), ...relations.map(({ name }) => name)];
  const trackers = await services.database.transaction((tx) => findOrCreateTrackers(tx, entity.id, names));
  for (const tracker of trackers) {
    if (!['created', 'enqueued', 'started'].includes(tracker.status)) continue;
    if (run.signal.aborted) throw new ImportStopped();
    const trackerFailure = await runTracker(run, tracker, relations);
    if (trackerFailure !== null) return trackerFailure;
    if (run.now() > run.deadline) throw new ResumeLater(run.now());
  }
  return null;
}

/** Runs one tracker. Returns a failure only if the entity cannot continue without it. */
async function runTracker(
  run: EntityRun,
  tracker: TrackerRow,
  relations: readonly Relation[],
): Promise<EntityFailure | null> {
  const { relation: name } = tracker;
  const { services, entity, jobs } = run;
  if (name === getKind(entity)) {
    const failure = await createDestination(run, tracker);
    return failure && { relation: name, failure };
  }
  if (name === REPOSITORY)
    return (await runRepository(run, tracker)) ? null : { relation: name, failure: ALREADY_RECORDED };
  if (name === WIKI) await runWiki(run, tracker);
  const relation = relations.find((candidate) => candidate.name === name);
  if (relation !== undefined) await runRelation(run, tracker, relation);
  // The new child entities may start while this entity continues.
  if (name === projectEntities.name || name === subgroups.name) {
    await services.database.transaction((tx) => jobs.enqueueAdvance(tx, entity.bulk_import_id));
  }
  return null;
}

/** Placeholder, compared by identity, for a failure that `failRelation` has recorded already. */
const ALREADY_RECORDED: ImportFailure = { step: 'extractor', class: '', message: '' };

/** Fetches the attributes from the source and creates the group or project. Returns null on success, or the failure. */
async function createDestination(run: EntityRun, tracker: TrackerRow): Promise<ImportFailure | null> {
  const { services, entity, importer } = run;
  const kind = getKind(entity);
  const creation = DESTINATION_CREATIONS[kind];
  try {
    const path = getSourceEntityPath(entity);
    const response = await callSource(run, tracker, path);
    if (response.status < 200 || response.status > 299)
      throw new CallFailed(formatUnsuccessfulResponse(response, path));
    const sourceEntity = parseSourceEntity(entity, response.json);
    if (sourceEntity === null || creation === undefined)
      throw new CallFailed('The source knows no such group or project');
    const problems = new Problems();
    const element = readParameters(creation.fields, sourceEntity.raw, problems);
    if (problems.any) throw new CallFailed([...problems.texts, ...Object.keys(problems.fields)].join(', '));
    const creationResult = await services.runUnitOfWork(
      importer,
      (uow) => storeDestination(uow, run, tracker, creation, sourceEntity.id, element as never),
      {
        lock: `bulk import into ${foldCase(entity.destination_namespace)}`,
      },
    );
    return isFailure(creationResult) ? toImportFailure(creationResult) : null;
  } catch (error) {
    if (error instanceof CallFailed) return error.failure;
    throw error;
  }
}

/** Returns the id and attributes, or null if the path differs, because the source may treat a numeric path as an id. */
function parseSourceEntity(
  entity: EntityRow,
  value: unknown,
): { readonly id: number; readonly raw: RawParameters } | null {
  if (!isParameterObject(value)) return null;
  const path = entity.source_type === 'group_entity' ? value.full_path : value.path_with_namespace;
  if (typeof path !== 'string' || foldCase(path) !== foldCase(entity.source_full_path)) return null;
  return Number.isSafeInteger(value.id) && (value.id as number) > 0 ? { id: value.id as number, raw: value } : null;
}

const PATH_TAKEN_MESSAGE = 'The destination has already been taken';

/** Returns whether an earlier entity of the same request has the same destination. index: bulk_import_entities_in_order */
async function isClaimedByEarlierEntity(db: Reader, entity: EntityRow): Promise<boolean> {
  if (entity.parent_id !== null) return false;
  const earlierEntities = await db
    .selectFrom('bulk_import_entities')
    .select(['destination_namespace', 'destination_slug'])
    .where('bulk_import_id', '=', entity.bulk_import_id)
    .where('parent_id', 'is', null)
    .where('status', 'in', ['created', 'started', 'finished'])
    .where('id', '<', entity.id)
    .execute();
  const getPathKey = (row: Pick<EntityRow, 'destination_namespace' | 'destination_slug'>) =>
    foldCase(`${row.destination_namespace}/${row.destination_slug}`);
  return earlierEntities.some((candidate) => getPathKey(candidate) === getPathKey(entity));
}

/** Creates the destination and stores its id in the entity, in one transaction. */
async function storeDestination(
  uow: UnitOfWork<SignedInCaller>,
  run: EntityRun,
  tracker: TrackerRow,
  creation: DestinationCreation,
  sourceId: number,
  element: never,
): Promise<number | Failure> {
  const currentEntity = await requireRunningEntity(uow, run);
  // Throws if the importer was blocked after the run started.
  await loadImporter(uow, currentEntity.user_id);
  const parent = await resolveParent(uow, run, currentEntity);
  if (isFailure(parent)) return parent;
  if (await isClaimedByEarlierEntity(uow, currentEntity)) return fail('failed', { message: PATH_TAKEN_MESSAGE });
  const { importId } = getImportIds(run);
  const storages = Object.keys(run.services.git.storages);
  const input = { importId, parent, slug: currentEntity.destination_slug, storages };
  const id = await creation.create(uow, input, element);
  if (isFailure(id)) return id;
  await updateEntity(uow, currentEntity.id, {
    source_id: sourceId,
    ...(creation.name === 'group' ? { namespace_id: id } : { project_id: id }),
    ...(parent === null ? {} : { destination_namespace: parent.full_path }),
  });
  await updateTracker(uow, tracker.id, { status: 'finished' });
  return id;
}

/**
 * Returns the parent group of the destination; null: the top level. The parent of a child entity is the imported group, even
 * if it was moved.
 */
async function resolveParent(
  uow: UnitOfWork<SignedInCaller>,
  run: EntityRun,
  entity: EntityRow,
): Promise<Group | null | Failure> {
  // `false`: the check against the own source was made when the import was created.
  if (entity.parent_id === null) return checkDestination(uow, uow.actor, entity, false);
  const parentEntity = await findEntityById(uow, entity.parent_id);
  const group =
    parentEntity?.namespace_id == null ? null : await findGroup(uow, run.importer, String(parentEntity.namespace_id));
  if (group === null) return fail('failed', { message: 'The group above is gone' });
  const fullPath = `${group.full_path}/${entity.destination_slug}`;
  return (await isPathTaken(uow, fullPath)) ? fail('failed', { message: PATH_TAKEN_MESSAGE }) : group;
}

/** Ends the entity and its remaining trackers, unless it was cancelled or ended meanwhile. */
async function endEntity(
  { database, log }: Pick<Services, 'database' | 'log'>,
  jobs: ImportJobs,
  entity: EntityRow,
  failure: EntityFailure | null,
): Promise<void> {
  const status = failure === null ? 'finished' : 'failed';
  const entityIds = { importId: entity.bulk_import_id, entityId: entity.id };
  const hasEnded = await database.transaction(async (tx) => {
    if ((await findEntityById(tx, entity.id))?.status !== 'started') return false;
    if (failure !== null && failure.failure !== ALREADY_RECORDED) {
      await recordFailure(tx, { ...entityIds, relation: failure.relation }, failure.failure);
    }
    // The failed relation becomes `failed`, the relations after it `skipped`.
    await tx
      .updateTable('bulk_import_trackers')
      .set((eb) => ({
        status: eb
          .case()
          .when('relation', '=', failure?.relation ?? '')
          .then('failed' as const)
          .else('skipped' as const)
          .end(),
      }))
      .where('entity_id', '=', entity.id)
      .where('status', 'in', ['created', 'enqueued', 'started'])
      .execute();
    await updateEntity(tx, entity.id, { status });
    await enqueueAdvanceOfUser(tx, jobs, entity.user_id);
    return true;
  });
  if (hasEnded) log.info({ ...entityIds, status }, 'A group or project was imported');
}

/** Stores the retry count and enqueues the next run at the requested time. */
async function scheduleResume(
  { database, log }: Pick<Services, 'database' | 'log'>,
  jobs: ImportJobs,
  entity: EntityRow,
  { at, retry }: ResumeLater,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (retry !== null) {
      // The interrupted tracker is the first unfinished one.
      await tx
        .updateTable('bulk_import_trackers')
        .set({ retried_call: retry.call, retries: retry.retries })
        .where('entity_id', '=', entity.id)
        .where('status', 'in', ['created', 'enqueued', 'started'])
        .where('stage', '=', (eb) =>
          eb
            .selectFrom('bulk_import_trackers as unfinished')
            .select((unfinishedEb) => unfinishedEb.fn.min('unfinished.stage').as('stage'))
            .where('unfinished.entity_id', '=', entity.id)
            .where('unfinished.status', 'in', ['created', 'enqueued', 'started']),
        )
        .execute();
    }
    await jobs.enqueueEntity(tx, entity.id, at);
  });
  if (retry !== null) {
    const { retries } = retry;
    log.info({ import: entity.bulk_import_id, entity: entity.id, retries, at }, 'A call to the source will be retried');
  }
}

/** Gives running trackers the final state of their entity, and unlocks the repositories that an interrupted fetch locked. */
async function cleanUpEndedEntity({ database }: Pick<Services, 'database'>, entity: EntityRow): Promise<void> {
  await database.transaction(async (tx) => {
    const currentEntity = await findEntityById(tx, entity.id);
    if (currentEntity === undefined || currentEntity.status === 'started') return;
    const stoppedTrackers = await tx
      .updateTable('bulk_import_trackers')
      .set({ status: currentEntity.status })
      .where('entity_id', '=', entity.id)
      .where('status', '=', 'started')
      .returning('relation')
      .execute();
    if (
      currentEntity.project_id === null ||
      !stoppedTrackers.some(({ relation }) => relation === REPOSITORY || relation === WIKI)
    )
      return;
    await unlockRepositories(tx, currentEntity.project_id);
  });
}

/** Milliseconds between two checks. A cancelled import waits at most this long for its source. */
const CHECK_INTERVAL_MS = 5000;

interface EntityWatch extends Disposable {
  /** Aborted when the state of the entity is no longer `started`, or when the server stops. */
  readonly signal: AbortSignal;
}

/** Aborts calls to a source when the import is cancelled. A fetch may take hours and occupies one of few job slots. */
export function watchEntity(
  { database }: Pick<Services, 'database'>,
  entityId: number,
  stopSignal: AbortSignal,
): EntityWatch {
  const controller = new AbortController();
  const check = async () => {
    const row = await findEntityById(database.forRequest().reader, entityId);
    if (row?.status !== 'started') controller.abort();
  };
  // An unavailable database is ignored: the next check reads the row.
  const timer = setInterval(() => check().catch(() => {}), CHECK_INTERVAL_MS);
  return {
    signal: AbortSignal.any([stopSignal, controller.signal]),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
