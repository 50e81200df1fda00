import type { RunUnitOfWork } from './unit-of-work.ts';

/**
 * Thrown by a read that finds what has fallen due by the calendar and is not done yet. Reads write nothing: whoever serves
 * this one does the work, by nobody, and reads again (`http/serving`). Who finds it at once with another does it once more,
 * so that the work looks first whether it is still to be done.
 */
export class OverdueWork extends Error {
  readonly work: (runUnitOfWork: RunUnitOfWork) => Promise<void>;

  constructor(work: (runUnitOfWork: RunUnitOfWork) => Promise<void>) {
    super('Something that has fallen due is to be done before this is read');
    this.work = work;
  }
}
