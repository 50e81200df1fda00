import type { RunUnitOfWork } from './unit-of-work.ts';

/**
 * Thrown by a read that finds time-based work which is due but not done. Reads do not write: the server runs `work`
 * without a user and then repeats the read (`http/server`). Concurrent readers may run it twice, so `work` checks first
 * whether it is still due.
 */
export class OverdueWork extends Error {
  readonly complete: (runUnitOfWork: RunUnitOfWork) => Promise<void>;

  constructor(work: (runUnitOfWork: RunUnitOfWork) => Promise<void>) {
    super('Overdue work must be done before this read');
    this.complete = work;
  }
}
