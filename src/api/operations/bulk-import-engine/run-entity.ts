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
  CREATIONS,
  type Creation,
  GROUP_RELATIONS,
  PROJECT_RELATIONS,
  type Relation,
} from '../bulk-import-relations/index.ts';
import { projectEntities, subgroups } from './child-entities.ts';
import { readConfiguration } from './configuration.ts';
import { checkDestination, isTaken } from './destination.ts';
import { failureOf, type ImportFailure, recordFailure } from './failures.ts';
import { CallFailed, ComeBack, DestinationGone, ShutOut, Stopped } from './interruptions.ts';
import { giveUpFilling } from './repository-import-lock.ts';
import { runRelation } from './run-relation.ts';
import { runRepository } from './run-repository.ts';
import { runWiki } from './run-wiki.ts';
import { ids, importerOf, type Running, stillRunning } from './running-entity.ts';
import { createSource, sourcePath } from './source.ts';
import { ask, unsuccessful } from './source-calls.ts';
import { nextOf, type Work } from './states.ts';
import { type EntityRow, readEntity, setEntity, setTracker, type TrackerRow, trackersOf } from './store.ts';
import { watchEntity } from './timeout.ts';

/** The copying of one group or project: its relations in their order, from where it was left (contract/operations.md §1.4). */

/** After so long others have their turn, in milliseconds. */
const SLICE_MS = 30_000;

const GROUP_STEPS: readonly Relation[] = [...GROUP_RELATIONS, projectEntities, subgroups];

/** The names of relations that are no lists. */
const REPOSITORY = 'repository';
const WIKI = 'wiki';

export async function runEntity(services: Services, work: Work, entityId: number, signal: AbortSignal): Promise<void> {
  const entity = await readEntity(services.database.forRequest().reader, entityId);
  if (entity === undefined) return;
  if (entity.status !== 'started') return tidy(services, entity);
  using under = watchEntity(services, entityId, signal);
  try {
    const running = await begin(services, work, entity, under.signal);
    const ending =
      running === null ? endingWith(entity, 'The token of the source is gone') : await runRelations(running);
    await endEntity(services, work, entity, ending);
  } catch (error) {
    if (error instanceof ComeBack) return comeBack(services, work, entity, error);
    if (error instanceof DestinationGone) return endEntity(services, work, entity, endingWith(entity, GONE));
    if (error instanceof ShutOut) return endEntity(services, work, entity, endingWith(entity, SHUT_OUT));
    if (!(error instanceof Stopped)) throw error;
    // The queue hands it to whoever comes next.
    if (signal.aborted) throw error;
    await tidy(services, entity);
  }
}

const GONE = 'The destination is gone';
const SHUT_OUT = 'The importing user is shut out';

function endingWith(entity: EntityRow, message: string): Ending {
  return { relation: kindOf(entity), failure: { step: 'loader', class: 'BulkImports::Error', message } };
}

/** Why an entity fails. */
interface Ending {
  readonly relation: string;
  readonly failure: ImportFailure;
}

/** Null: nobody knows any more how the source is reached. */
async function begin(services: Services, work: Work, entity: EntityRow, signal: AbortSignal): Promise<Running | null> {
  const { database, outbound, clock } = services;
  const db = database.forRequest().reader;
  const now = () => timestamp(clock);
  const by = await importerOf(db, entity.user_id);
  const configuration = await readConfiguration(db, await services.secretKey(), entity.bulk_import_id);
  if (configuration === null) return null;
  const source = createSource(outbound, configuration, by.user.id);
  const { token } = configuration;
  return { services, work, source, token, by, entity, signal, now, until: addMilliseconds(now(), SLICE_MS) };
}

const kindOf = ({ source_type }: Pick<EntityRow, 'source_type'>) =>
  source_type === 'group_entity' ? 'group' : 'project';

/** Null: all relations have ended. */
async function runRelations(running: Running): Promise<Ending | null> {
  const { services, entity } = running;
  const kind = kindOf(entity);
  const relations = kind === 'group' ? GROUP_STEPS : PROJECT_RELATIONS;
  const names = [kind, ...(kind === 'project' ? [REPOSITORY, WIKI] : []), ...relations.map(({ name }) => name)];
  const trackers = await services.database.transaction((tx) => trackersOf(tx, entity.id, names));
  for (const tracker of trackers) {
    if (!['created', 'enqueued', 'started'].includes(tracker.status)) continue;
    if (running.signal.aborted) throw new Stopped();
    const failed = await runOne(running, tracker, relations);
    if (failed !== null) return failed;
    if (running.now() > running.until) throw new ComeBack(running.now());
  }
  return null;
}

/** The failure of a relation without which there is nothing to go on with. */
async function runOne(running: Running, tracker: TrackerRow, relations: readonly Relation[]): Promise<Ending | null> {
  const { relation: name } = tracker;
  const { services, entity, work } = running;
  if (name === kindOf(entity)) {
    const failure = await create(running, tracker);
    return failure && { relation: name, failure };
  }
  if (name === REPOSITORY) return (await runRepository(running, tracker)) ? null : { relation: name, failure: ALREADY };
  if (name === WIKI) await runWiki(running, tracker);
  const relation = relations.find((one) => one.name === name);
  if (relation !== undefined) await runRelation(running, tracker, relation);
  // What was found below may begin while this goes on.
  if (name === projectEntities.name || name === subgroups.name) {
    await services.database.transaction((tx) => work.next(tx, entity.bulk_import_id));
  }
  return null;
}

/** It was recorded where it was found. */
const ALREADY: ImportFailure = { step: 'extractor', class: '', message: '' };

/** Makes the group or project itself; null when it is there. */
async function create(running: Running, tracker: TrackerRow): Promise<ImportFailure | null> {
  const { services, entity, by } = running;
  const kind = kindOf(entity);
  const creation = CREATIONS[kind];
  try {
    const path = sourcePath(entity);
    const answer = await ask(running, tracker, path);
    if (answer.status < 200 || answer.status > 299) throw new CallFailed(unsuccessful(answer, path));
    const found = meant(entity, answer.value);
    if (found === null || creation === undefined) throw new CallFailed('The source knows no such group or project');
    const problems = new Problems();
    const element = readParameters(creation.fields, found.raw, problems);
    if (problems.any) throw new CallFailed([...problems.texts, ...Object.keys(problems.fields)].join(', '));
    const made = await services.runUnitOfWork(
      by,
      (uow) => store(uow, running, tracker, creation, found.id, element as never),
      {
        lock: `bulk import into ${foldCase(entity.destination_namespace)}`,
      },
    );
    return isFailure(made) ? failureOf(made) : null;
  } catch (error) {
    if (error instanceof CallFailed) return error.failure;
    throw error;
  }
}

/** What the source says of the entity, when it is that: digits were taken for an id. */
function meant(entity: EntityRow, value: unknown): { readonly id: number; readonly raw: RawParameters } | null {
  if (!isParameterObject(value)) return null;
  const path = entity.source_type === 'group_entity' ? value.full_path : value.path_with_namespace;
  if (typeof path !== 'string' || foldCase(path) !== foldCase(entity.source_full_path)) return null;
  return Number.isSafeInteger(value.id) && (value.id as number) > 0 ? { id: value.id as number, raw: value } : null;
}

const TAKEN = 'The destination has already been taken';

/** Of two elements of one request that name the same destination the first gets it. index: bulk_import_entities_in_order */
async function isFirstElsewhere(db: Reader, entity: EntityRow): Promise<boolean> {
  if (entity.parent_id !== null) return false;
  const before = await db
    .selectFrom('bulk_import_entities')
    .select(['destination_namespace', 'destination_slug'])
    .where('bulk_import_id', '=', entity.bulk_import_id)
    .where('parent_id', 'is', null)
    .where('status', 'in', ['created', 'started', 'finished'])
    .where('id', '<', entity.id)
    .execute();
  const place = (of: Pick<EntityRow, 'destination_namespace' | 'destination_slug'>) =>
    foldCase(`${of.destination_namespace}/${of.destination_slug}`);
  return before.some((one) => place(one) === place(entity));
}

/** In one act: it is made, and the entity knows it. */
async function store(
  uow: UnitOfWork<SignedInCaller>,
  running: Running,
  tracker: TrackerRow,
  creation: Creation,
  sourceId: number,
  element: never,
): Promise<number | Failure> {
  const now = await stillRunning(uow, running);
  await importerOf(uow, now.user_id);
  const parent = await parentOf(uow, running, now);
  if (isFailure(parent)) return parent;
  if (await isFirstElsewhere(uow, now)) return fail('failed', { message: TAKEN });
  const { importId } = ids(running);
  const storages = Object.keys(running.services.git.storages);
  const wanted = { importId, parent, slug: now.destination_slug, storages, isChild: now.parent_id !== null };
  const id = await creation.create(uow, wanted, element);
  if (isFailure(id)) return id;
  await setEntity(uow, now.id, {
    source_id: sourceId,
    ...(creation.name === 'group' ? { namespace_id: id } : { project_id: id }),
    ...(parent === null ? {} : { destination_namespace: parent.full_path }),
  });
  await setTracker(uow, tracker.id, { status: 'finished' });
  return id;
}

/** The group that it is made in: for what came below another group, what that has become, wherever it is now. */
async function parentOf(
  uow: UnitOfWork<SignedInCaller>,
  running: Running,
  entity: EntityRow,
): Promise<Group | null | Failure> {
  if (entity.parent_id === null) return checkDestination(uow, uow.actor, entity, false);
  const above = await readEntity(uow, entity.parent_id);
  const group = above?.namespace_id == null ? null : await findGroup(uow, running.by, String(above.namespace_id));
  if (group === null) return fail('failed', { message: 'The group above is gone' });
  const fullPath = `${group.full_path}/${entity.destination_slug}`;
  return (await isTaken(uow, fullPath)) ? fail('failed', { message: TAKEN }) : group;
}

async function endEntity(
  { database, log }: Pick<Services, 'database' | 'log'>,
  work: Work,
  entity: EntityRow,
  ending: Ending | null,
): Promise<void> {
  const status = ending === null ? 'finished' : 'failed';
  const of = { importId: entity.bulk_import_id, entityId: entity.id };
  const ended = await database.transaction(async (tx) => {
    if ((await readEntity(tx, entity.id))?.status !== 'started') return false;
    if (ending !== null && ending.failure !== ALREADY) {
      await recordFailure(tx, { ...of, relation: ending.relation }, ending.failure);
    }
    await tx
      .updateTable('bulk_import_trackers')
      .set((eb) => ({
        status: eb
          .case()
          .when('relation', '=', ending?.relation ?? '')
          .then('failed' as const)
          .else('skipped' as const)
          .end(),
      }))
      .where('entity_id', '=', entity.id)
      .where('status', 'in', ['created', 'enqueued', 'started'])
      .execute();
    await setEntity(tx, entity.id, { status });
    await nextOf(tx, work, entity.user_id);
    return true;
  });
  if (ended) log.info({ ...of, status }, 'A group or project was imported');
}

/** Rests, or lets others have their turn. */
async function comeBack(
  { database, log }: Services,
  work: Work,
  entity: EntityRow,
  { at, again }: ComeBack,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (again !== null) {
      await tx
        .updateTable('bulk_import_trackers')
        .set({ retried_call: again.call, retries: again.retries })
        .where('entity_id', '=', entity.id)
        .where('status', 'in', ['created', 'enqueued', 'started'])
        .where('stage', '=', (eb) =>
          eb
            .selectFrom('bulk_import_trackers as open')
            .select((of) => of.fn.min('open.stage').as('stage'))
            .where('open.entity_id', '=', entity.id)
            .where('open.status', 'in', ['created', 'enqueued', 'started']),
        )
        .execute();
    }
    await work.entity(tx, entity.id, at);
  });
  if (again !== null) {
    const { retries } = again;
    log.info({ import: entity.bulk_import_id, entity: entity.id, retries, at }, 'The source is asked again later');
  }
}

/** What was under way when the import ended otherwise is told so, and its repository may be pushed to again. */
async function tidy({ database }: Pick<Services, 'database'>, entity: EntityRow): Promise<void> {
  await database.transaction(async (tx) => {
    const now = await readEntity(tx, entity.id);
    if (now === undefined || now.status === 'started') return;
    const open = await tx
      .updateTable('bulk_import_trackers')
      .set({ status: now.status })
      .where('entity_id', '=', entity.id)
      .where('status', '=', 'started')
      .returning('relation')
      .execute();
    if (now.project_id === null || !open.some(({ relation }) => relation === REPOSITORY || relation === WIKI)) return;
    await giveUpFilling(tx, now.project_id);
  });
}
