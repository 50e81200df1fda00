import { subscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { enqueue } from '#jobs/job.ts';
import { chooseStorage } from '#repositories/choose-storage.ts';
import { compactFieldErrors, type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { type Kind, kindOf, placesIn } from './repository-kinds.ts';
import { LANE, moveNext } from './run.ts';
import type { Move } from './store.ts';

/** How a move begins: what is to be moved is read-only from here on, and the queue does the rest. */

interface Wish {
  /** Null: chosen. */
  readonly destination: string | null;
  /** The configured ones. */
  readonly storages: readonly string[];
  /** Only if it is still there. */
  readonly source?: string;
}

/** Schedules the move of a container, in the act that makes it read-only (contract/operations.md §2, "The move", 1). */
export async function schedule(
  uow: UnitOfWork,
  kind: Kind,
  containerId: number,
  { destination, storages, source }: Wish,
): Promise<Move | Failure<'gone' | 'invalid'>> {
  const container = await kind.find(uow, containerId);
  if (container === null || (source !== undefined && container.storage !== source)) return fail('gone');
  const wrong = compactFieldErrors({
    destination_storage_name: destination === null ? [] : destinationErrors(destination, storages),
    [kind.name]: container.isReadOnly ? ['is read-only'] : [],
  });
  if (wrong !== null) return invalid(wrong);
  const move = await uow
    .insertInto('storage_moves')
    .values({
      kind: kind.name,
      [kind.column]: containerId,
      state: 'scheduled',
      source_storage: container.storage,
      destination_storage: destination ?? (await chooseFor(uow, container.storage, storages)),
      repositories: '[]',
      created_at: uow.now,
      updated_at: uow.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await kind.lock(uow, containerId, move.id);
  await enqueue(uow, moveNext, {}, { key: LANE });
  return uow
    .updateTable('storage_moves')
    .set({ repositories: JSON.stringify(placesIn(move.id, container)) })
    .where('id', '=', move.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function destinationErrors(destination: string, storages: readonly string[]): string[] {
  const unknown = storages.includes(destination) ? [] : ['is not included in the list'];
  return destination === '' ? ["can't be blank", ...unknown] : unknown;
}

/** Not where it is, if it can be elsewhere. */
async function chooseFor(uow: UnitOfWork, source: string, storages: readonly string[]): Promise<string> {
  const others = storages.filter((name) => name !== source);
  const { repository_storages_weighted: weights } = await loadSettings(uow);
  return chooseStorage(others.length > 0 ? others : storages, weights);
}

/** What `PUT /projects/:id` asks for. Whoever publishes has seen that it may be moved. */
export const onStorageMoveRequested = subscription({
  event: 'storage-move-requested',
  async inTransaction(uow, { projectId, storage }) {
    const move = await schedule(uow, kindOf('project'), projectId, { destination: storage, storages: [storage] });
    if (isFailure(move)) throw new Error(`The move of project ${projectId} was refused: ${move.code}`);
  },
});
