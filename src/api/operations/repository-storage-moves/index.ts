import { resourceModule } from '#http/endpoint/resource-module.ts';
import { cleanUp } from './cleanup.ts';
import * as endpoints from './endpoints.ts';
import { moveNext, resumeMoves, resumeMovesOften } from './run.ts';
import { onStorageMoveRequested } from './schedule.ts';
import { moveAll } from './schedule-all.ts';

/**
 * What is to be moved is read-only from the act that schedules it (`api/operations/repository-storage-moves/`), so
 * that a ref change either has its intent before, which is waited for, or is refused. The queue moves one after
 * another: `git/transfer/copy-repository.ts` copies file by file, the refs as one file, and looks at every byte, ref and object again;
 * then one act makes the copy count. Until then the row says `started`, and whoever comes after a crash removes the
 * copy; from then on the old directory is what has to go, when nobody reads it any more. A repository's place (storage
 * and path) is never used again, and an intent names the place that its mover has seen: what was let in before a move,
 * and is late, writes into nothing.
 */
export const repositoryStorageMoves = resourceModule({
  endpoints,
  jobs: [moveAll, moveNext, cleanUp, resumeMoves],
  schedules: [resumeMovesOften],
  subscriptions: [onStorageMoveRequested],
});
