import { enqueue, type Job, type JobRun } from '../background/job.ts';
import type { Transaction } from '../database/database.ts';

/** What happened, for other families to follow up: the name of each fact and what it tells. Payloads are plain JSON. */
export interface Facts {
  'refs-changed': {
    readonly projectId: number;
    readonly userId: number | null;
    readonly changes: readonly RefChange[];
  };
  'project-moved': { readonly projectId: number; readonly oldPaths: readonly string[] };
  'project-destroyed': { readonly projectId: number; readonly storage: string; readonly diskPath: string };
  'group-destroyed': { readonly groupId: number };
  /**
   * In the transaction that removes the user's row, before it goes: what a family keeps of the user moves to the ghost, or
   * with `hard` is deleted, so far as it doesn't go or lose its user by its foreign key.
   */
  'user-deleted': { readonly userId: number; readonly ghostUserId: number; readonly hard: boolean };
  /** `unassign`: what is assigned to the user there is to be unassigned. */
  'membership-ended': {
    readonly userId: number;
    readonly sourceType: 'group' | 'project';
    readonly sourceId: number;
    readonly unassign?: boolean;
  };
}

/** A full ref name and the object ids before and after; all zeros where there was or is none. */
export interface RefChange {
  readonly ref: string;
  readonly oldId: string;
  readonly newId: string;
}

export type FactName = keyof Facts;

/** One family's interest in a fact. */
export interface Subscription<Rooms, Name extends FactName = FactName> {
  readonly fact: Name;
  /** Part of the transaction that publishes: SQL only. `facts` is there for what follows from the fact. */
  readonly inTransaction?: (tx: Transaction, payload: Facts[Name], facts: FactBus) => Promise<void>;
  /** A job of the queue, at least once after the commit. `kind` is stored: never renamed. */
  readonly afterwards?: {
    readonly kind: string;
    readonly maxAttempts?: number;
    readonly handle: (rooms: Rooms, payload: Facts[Name], run: JobRun) => Promise<void>;
  };
}

/** A subscription as it stands in a family's list, whatever its fact. */
export type AnySubscription<Rooms> = { readonly [Name in FactName]: Subscription<Rooms, Name> }[FactName];

/** Writes down a subscription with the payload's type of its fact. */
export function subscription<Rooms, Name extends FactName>(
  value: Subscription<Rooms, Name>,
): Subscription<Rooms, Name> {
  return value;
}

export interface FactBus {
  /** Tells every subscriber, in the order of the families' lists, as part of the action's transaction. */
  publish<Name extends FactName>(tx: Transaction, name: Name, payload: Facts[Name]): Promise<void>;
}

/** Made by server.ts from the families' subscriptions. `jobs` are the queue's part of it. */
export function createFactBus<Rooms>(
  subscriptions: readonly AnySubscription<Rooms>[],
): FactBus & { readonly jobs: readonly Job<Rooms, never>[] } {
  const bus: FactBus = {
    async publish(tx, name, payload) {
      for (const { fact, inTransaction, afterwards } of subscriptions) {
        if (fact !== name) continue;
        await (inTransaction as Told | undefined)?.(tx, payload, bus);
        if (afterwards) await enqueue(tx, afterwards as Job<never, unknown>, payload);
      }
    },
  };
  const jobs = subscriptions.flatMap(({ afterwards }) => (afterwards ? [afterwards as Job<Rooms, never>] : []));
  return { ...bus, jobs };
}

/** The list holds every fact's subscriptions together; that name and payload belong to each other was checked when they were written. */
type Told = (tx: Transaction, payload: Facts[FactName], facts: FactBus) => Promise<void>;
