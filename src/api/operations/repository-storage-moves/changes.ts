import { ANONYMOUS } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { invalidParameters } from '#http/errors/http-error.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { chooseStorage } from '#repositories/choose-storage.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { compactFieldErrors, type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { assignDiskPaths, type ContainerKind, type ContainerKindName, getContainerKind } from './repository-kinds.ts';
import { moveNextRepository, QUEUE_KEY } from './run.ts';
import { listMovesInState, type Move } from './store.ts';

// Schedules moves. The container becomes read-only, and a job moves its repositories.

interface ScheduleInput {
  /** Name of the destination storage; null: chosen by the storage weights. */
  readonly destination: string | null;
  /** Names of the configured storages. */
  readonly storages: readonly string[];
  /** Expected source storage. If the container is no longer in it, scheduling fails with `notFound`. */
  readonly source?: string;
}

/** Schedules the move of a container and makes it read-only (contract/operations.md §2, "The move", 1). */
export async function scheduleMove(
  uow: UnitOfWork,
  kind: ContainerKind,
  containerId: number,
  { destination, storages, source }: ScheduleInput,
): Promise<Move | Failure<'notFound' | 'invalid'>> {
  const container = await kind.findContainer(uow, containerId);
  if (container === null || (source !== undefined && container.storage !== source)) return fail('notFound');
  const errors = compactFieldErrors({
    destination_storage_name: destination === null ? [] : validateDestination(destination, storages),
    [kind.name]: container.isReadOnly ? ['is read-only'] : [],
  });
  if (errors !== null) return invalid(errors);
  const move = await uow
    .insertInto('storage_moves')
    .values({
      kind: kind.name,
      [kind.column]: containerId,
      state: 'scheduled',
      source_storage: container.storage,
      destination_storage: destination ?? (await chooseDestination(uow, container.storage, storages)),
      repositories: '[]',
      created_at: uow.now,
      updated_at: uow.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await kind.makeReadOnly(uow, containerId, move.id);
  await enqueue(uow, moveNextRepository, {}, { key: QUEUE_KEY });
  // The new disk paths contain the id of the move.
  return uow
    .updateTable('storage_moves')
    .set({ repositories: JSON.stringify(assignDiskPaths(move.id, container)) })
    .where('id', '=', move.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function validateDestination(destination: string, storages: readonly string[]): string[] {
  const storageErrors = storages.includes(destination) ? [] : ['is not included in the list'];
  return destination === '' ? ["can't be blank", ...storageErrors] : storageErrors;
}

/** Returns the name of a destination storage. It differs from the source, if there is another storage. */
async function chooseDestination(uow: UnitOfWork, source: string, storages: readonly string[]): Promise<string> {
  const otherStorages = storages.filter((name) => name !== source);
  const { repository_storages_weighted: weights } = await loadSettings(uow);
  return chooseStorage(otherStorages.length > 0 ? otherStorages : storages, weights);
}

/** Schedules the move that `PUT /projects/:id` requests. The publisher has checked that the project can be moved. */
export const onStorageMoveRequested = defineSubscription({
  event: 'storage-move-requested',
  async inTransaction(uow, { projectId, storage }) {
    const move = await scheduleMove(uow, getContainerKind('project'), projectId, {
      destination: storage,
      storages: [storage],
    });
    if (isFailure(move)) throw new Error(`The move of project ${projectId} could not be scheduled: ${move.code}`);
  },
});

// Moves of all containers of a kind in a storage (contract/operations.md §2, "Bulk POST").

interface ScheduleAllInput {
  readonly source_storage_name: string;
  readonly destination_storage_name?: string | null | undefined;
}

/** Enqueues the job that schedules a move per container. Throws 400 if a storage name is unknown. */
export async function scheduleAllMoves(
  { config, database }: Pick<Services, 'config' | 'database'>,
  kind: ContainerKindName,
  input: ScheduleAllInput,
): Promise<void> {
  const { source_storage_name: source, destination_storage_name: destination = null } = input;
  const fieldNames = ['source_storage_name', 'destination_storage_name'] as const;
  const unknownFields = fieldNames.filter(
    (name) => input[name] != null && !Object.hasOwn(config.storages, input[name]),
  );
  if (unknownFields.length > 0)
    throw invalidParameters(unknownFields.map((name) => `${name} does not have a valid value`));
  await database.transaction((tx) => enqueue(tx, scheduleMovesInBatches, { kind, source, destination, after: 0 }));
}

interface BulkMovePayload {
  readonly kind: ContainerKindName;
  readonly source: string;
  readonly destination: string | null;
  /** The last processed container id. */
  readonly after: number;
}

/** Maximum number of scheduled moves, because a container is read-only while it waits. */
const MAX_SCHEDULED = 5;
/** Milliseconds between two batches of scheduled moves. */
const BATCH_DELAY_MS = 1_000;

/**
 * Schedules moves of all containers of a kind in a storage, a few at a time. Skips containers that are read-only or have
 * left the storage, so two concurrent bulk jobs create one move per container.
 */
export const scheduleMovesInBatches = defineJob({
  kind: 'schedule_storage_moves',
  maxAttempts: 100,
  isLongRunning: true,
  async handle(services: Pick<Services, 'runUnitOfWork' | 'config' | 'database'>, payload: BulkMovePayload) {
    const { kind: name, source, destination, after } = payload;
    const db = services.database.reader;
    const kind = getContainerKind(name);
    const waitingCount = (await listMovesInState(db, 'scheduled', MAX_SCHEDULED)).length;
    const ids = await kind.listIdsInStorage(db, source, after, MAX_SCHEDULED - waitingCount);
    const input = { destination, source, storages: Object.keys(services.config.storages) };
    // If another bulk job schedules the same container concurrently, the retry finds it read-only.
    const options = { retryOnUniqueViolation: [`storage_moves_under_way_by_${kind.column}`] };
    for (const id of ids) await services.runUnitOfWork(ANONYMOUS, (uow) => scheduleMove(uow, kind, id, input), options);
    const nextPayload = { ...payload, after: ids.at(-1) ?? after };
    if (waitingCount === MAX_SCHEDULED || ids.length === MAX_SCHEDULED - waitingCount) {
      await services.database.transaction((tx) => enqueueNext(tx, nextPayload));
    }
  },
});

function enqueueNext(tx: Transaction, payload: BulkMovePayload): Promise<void> {
  return enqueue(tx, scheduleMovesInBatches, payload, { runAt: addMilliseconds(tx.now, BATCH_DELAY_MS) });
}
