import { resourceModule } from '#http/endpoint/resource-module.ts';
import { cleanUp } from './cleanup.ts';
import * as endpoints from './endpoints.ts';
import { moveNext, resumeMoves, resumeMovesOften } from './run.ts';
import { onStorageMoveRequested } from './schedule.ts';
import { moveAll } from './schedule-all.ts';

/**
 * Moves of repositories between storages. The transaction that schedules a move makes the container read-only: a ref
 * update either has stored its intent before, for which the move waits, or is rejected.
 * Jobs run one move at a time. `git/transfer/copy-repository.ts` copies the files and verifies every byte, ref and
 * object. One transaction then switches to the copy. Before it the state is `started`, and recovery from a crash deletes
 * the copy; after it the source is deleted as soon as it is no longer in use.
 * A disk path is never used again, and an intent names the location that its writer has seen: a late writer from before
 * the move writes to a location that is no longer used.
 */
export const repositoryStorageMoves = resourceModule({
  endpoints,
  jobs: [moveAll, moveNext, cleanUp, resumeMoves],
  schedules: [resumeMovesOften],
  subscriptions: [onStorageMoveRequested],
});
