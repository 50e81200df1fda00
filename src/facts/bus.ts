import { enqueue, type Job, type JobRun } from '../background/job.ts';
import type { Transaction } from '../database/database.ts';
import { type ActivityEvent, type AuditEvent, recordActivity, recordAudit } from '../history/index.ts';
import { NOBODY } from '../identity/caller.ts';
import type { Act } from './act.ts';
import type { FactName, Facts } from './facts.ts';

/** One family's interest in a fact. */
export interface Subscription<Rooms, Name extends FactName = FactName> {
  readonly fact: Name;
  /** Part of the act that publishes: SQL only. */
  readonly inTransaction?: (act: Act, payload: Facts[Name], facts: FactBus) => Promise<void>;
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
  /** Tells every subscriber, in the order of the families' lists, as part of the act. */
  publish<Name extends FactName>(act: Transaction, name: Name, payload: Facts[Name]): Promise<void>;
}

/** Made by server.ts from the families' subscriptions. `jobs` are the queue's part of it. */
export function createFactBus<Rooms>(
  subscriptions: readonly AnySubscription<Rooms>[],
): FactBus & { readonly jobs: readonly Job<Rooms, never>[] } {
  const bus: FactBus = {
    async publish(tx, name, payload) {
      const act = (
        'publish' in tx
          ? tx
          : Object.assign(tx, {
              by: NOBODY,
              tier: 'ultimate',
              publish: (n: FactName, p: never) => bus.publish(tx, n, p),
              record: (event: ActivityEvent | AuditEvent) =>
                'action' in event
                  ? recordActivity(tx, event)
                  : recordAudit(tx, { by: NOBODY, tier: 'ultimate' }, event),
            })
      ) as Act;
      for (const { fact, inTransaction, afterwards } of subscriptions) {
        if (fact !== name) continue;
        await (inTransaction as Told | undefined)?.(act, payload, bus);
        if (afterwards) await enqueue(act, afterwards as Job<never, unknown>, payload);
      }
    },
  };
  const jobs = subscriptions.flatMap(({ afterwards }) => (afterwards ? [afterwards as Job<Rooms, never>] : []));
  return { ...bus, jobs };
}

/** The list holds every fact's subscriptions together; that name and payload belong to each other was checked when they were written. */
type Told = (act: Act, payload: Facts[FactName], facts: FactBus) => Promise<void>;
