import { resourceModule } from '#http/endpoint/resource-module.ts';
import { onStorageMoveRequested, scheduleMovesInBatches } from './changes.ts';
import * as endpoints from './endpoints.ts';
import { moveNextRepository, resumeMoves, resumeMovesSchedule } from './run.ts';
import { deleteMovedSources } from './transfer.ts';

/**
 * Moves of repositories between storages. The transaction that schedules a move makes the container read-only. The
 * move waits for ref updates that have stored their intent; later ones are rejected.
 * Jobs run one move at a time. `git/transfer/copy-repository.ts` copies the files and verifies every byte, ref and
 * object. One transaction then switches to the copy. Before it the state is `started`, and recovery from a crash deletes
 * the copy; after it the source is deleted as soon as it is no longer in use.
 * Each move uses a new disk path, and an intent names the location that its writer has seen, so a writer that is late cannot damage
 * the copy.
 */
export const repositoryStorageMoves = resourceModule({
  endpoints,
  jobs: [scheduleMovesInBatches, moveNextRepository, deleteMovedSources, resumeMoves],
  schedules: [resumeMovesSchedule],
  subscriptions: [onStorageMoveRequested],
});
