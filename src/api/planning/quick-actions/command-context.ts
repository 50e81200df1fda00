import type { ResourceType } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Changes } from './changes.ts';
import type { Moment, Subject } from './subject.ts';

/** What one command finds, and leaves to the next one. */
export interface Doing {
  readonly uow: UnitOfWork<SignedInCaller>;
  readonly subject: Subject;
  /** As the commands before have left it. */
  now: Moment;
  readonly changes: Changes;
  /** What is done besides with the thing, when it is there and has been changed. */
  readonly besides: ((id: number) => Promise<unknown>)[];
}

/** Says that a command may not be done, or makes no sense now. */
export const NOT_DONE = Symbol('not done');

/** Its message; null: it had no usable argument, and does nothing. */
export type Done = string | null | typeof NOT_DONE;

/** One row of the table. */
export interface Row {
  /** The name that messages call it by comes first. */
  readonly names: readonly [string, ...string[]];
  readonly on: readonly ResourceType[];
  /** Of a thing that is being made, too. */
  readonly atCreation?: true;
  /** Who may: as PUT asks it, or whoever sees the thing. */
  readonly right: 'update' | 'manage' | 'time' | 'see';
  /** Whoever makes a thing may, whatever he may of it later. */
  readonly freeAtCreation?: true;
  readonly run: (doing: Doing, argument: string) => Done | Promise<Done>;
}

export const ALL: readonly ResourceType[] = ['Issue', 'MergeRequest', 'Epic'];
export const OF_PROJECTS: readonly ResourceType[] = ['Issue', 'MergeRequest'];
export const CALLED = { Issue: 'issue', MergeRequest: 'merge request', Epic: 'epic' } as const;
