import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import type { ServerData } from '../server-data.ts';

/** An inconsistency in the data of a server. */
export interface Finding {
  readonly text: string;
  /** Absent: no safe repair without the lost data. */
  readonly repair?: Repair;
}

export interface Repair {
  /** Description of the repair as a verb phrase: `reindex issues_by_iid`. */
  readonly text: string;
  /** Returns false if the repair turns out to be impossible. */
  run(): Promise<boolean>;
}

/** The data and services for checks; the server may be running. */
export interface CheckContext extends ServerData {
  readonly runUnitOfWork: RunUnitOfWork;
}

/** A check, which yields its findings one by one. */
export interface Check {
  /** Value of the option `--only` of `hearth doctor`. */
  readonly name: string;
  run(context: CheckContext): AsyncIterable<Finding>;
}

/** Returns the message of an error in one line. */
export function describeError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
}

/** Age in milliseconds after which unfinished work counts as abandoned. */
export const ABANDONED_AFTER_MS = 24 * 3_600_000;
