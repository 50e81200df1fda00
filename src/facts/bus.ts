import { enqueue, type Job, type JobRun } from '../background/job.ts';
import type { Config } from '../config.ts';
import type { Act } from './act.ts';
import type { FactName, Facts } from './facts.ts';

/** One family's interest in a fact. */
export interface Subscription<Rooms, Name extends FactName = FactName> {
  readonly fact: Name;
  /** Only on servers whose settings are so; on others it is as if it were not there. */
  readonly when?: (config: Config) => boolean;
  /** Part of the act that publishes: SQL only. */
  readonly inTransaction?: (act: Act, payload: Facts[Name]) => Promise<void>;
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

interface FactBus<Rooms> {
  /** Tells every subscriber, in the order of the families' lists, as part of the act. */
  publish<Name extends FactName>(act: Act, name: Name, payload: Facts[Name]): Promise<void>;
  /** The queue's part of it. */
  readonly jobs: readonly Job<Rooms, never>[];
}

/** Made by server.ts from the families' subscriptions. */
export function createFactBus<Rooms>(subscriptions: readonly AnySubscription<Rooms>[]): FactBus<Rooms> {
  return {
    async publish(act, name, payload) {
      for (const { fact, inTransaction, afterwards } of subscriptions) {
        if (fact !== name) continue;
        await (inTransaction as Told | undefined)?.(act, payload);
        if (afterwards) await enqueue(act, afterwards as Job<never, unknown>, payload);
      }
    },
    jobs: subscriptions.flatMap(({ afterwards }) => (afterwards ? [afterwards as Job<Rooms, never>] : [])),
  };
}

/** The list holds every fact's subscriptions together; that name and payload belong to each other was checked when they were written. */
type Told = (act: Act, payload: Facts[FactName]) => Promise<void>;
