import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { enqueue } from '#jobs/job.ts';
import { chooseStorage } from '#repositories/choose-storage.ts';
import { compactFieldErrors, type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { assignDiskPaths, type ContainerKind, getContainerKind } from './repository-kinds.ts';
import { moveNextRepository, QUEUE_KEY } from './run.ts';
import type { Move } from './store.ts';

/** Schedules moves. The container becomes read-only, and a job moves its repositories. */

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
