import { ANONYMOUS } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import { invalidParameters } from '#http/errors/http-error.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { scheduleMove } from './changes.ts';
import { type ContainerKindName, getContainerKind } from './repository-kinds.ts';
import { listMovesInState } from './store.ts';

/** Moves of all containers of a kind in a storage (contract/operations.md §2, "Bulk POST"). */

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
