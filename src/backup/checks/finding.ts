import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import type { Kept } from '../server-data.ts';

/** What does not fit together on a server. */
export interface Finding {
  /** A sentence. */
  readonly text: string;
  /** Absent: nobody can mend it safely without what is lost. */
  readonly mend?: Mend;
}

interface Mend {
  /** What is done: `its number is raised`. */
  readonly text: string;
  /** False: it has turned out that it can't be. */
  run(): Promise<boolean>;
}

/** What checks look at, beside a server that may run. */
export interface Examined extends Kept {
  readonly runUnitOfWork: RunUnitOfWork;
}

/** What one check looks for; it tells what it finds as it comes along. */
export interface Check {
  readonly name: string;
  look(examined: Examined): AsyncIterable<Finding>;
}

/** That is so long ago that nobody is still at it, in milliseconds. */
export const LONG_AGO_MS = 24 * 3_600_000;
