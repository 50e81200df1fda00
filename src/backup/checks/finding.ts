import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import type { ServerData } from '../server-data.ts';

/** An inconsistency in the data of a server. */
export interface Finding {
  readonly text: string;
  /** Absent: no safe repair without the lost data. */
  readonly repair?: Repair;
}

interface Repair {
  /** What the repair does, as a verb phrase: `reindex issues_by_iid`. */
  readonly text: string;
  /** Returns false if the repair turns out to be impossible. */
  run(): Promise<boolean>;
}

/** What checks work with, while the server may be running. */
export interface CheckContext extends ServerData {
  readonly runUnitOfWork: RunUnitOfWork;
}

/** A check; yields findings as they are found. */
export interface Check {
  readonly name: string;
  run(examined: CheckContext): AsyncIterable<Finding>;
}

/** Age in milliseconds after which nobody still works on something. */
export const ABANDONED_AFTER_MS = 24 * 3_600_000;
