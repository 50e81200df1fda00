import type { Config } from '#config.ts';
import { enqueue, type Job, type JobRun } from '#jobs/job.ts';
import { MORE } from './batches.ts';
import type { EventName, EventPayloads } from './domain-events.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** One family's interest in a fact. */
export interface Subscription<Services, Name extends EventName = EventName> {
  readonly event: Name;
  /** Only on servers whose settings are so; on others it is as if it were not there. */
  readonly when?: (config: Config) => boolean;
  /**
   * What may be too much for one act: a piece of it, which tells whether there is MORE. Whoever foresees the fact has it
   * done act by act before (`uow.ahead`); what is left then is part of the act that publishes.
   */
  readonly inBatches?: (uow: UnitOfWork, payload: EventPayloads[Name]) => Promise<typeof MORE | undefined>;
  /** Part of the act that publishes: SQL only. */
  readonly inTransaction?: (uow: UnitOfWork, payload: EventPayloads[Name]) => Promise<void>;
  /** A job of the queue, at least once after the commit. `kind` is stored: never renamed. */
  readonly inBackground?: {
    readonly kind: string;
    readonly maxAttempts?: number;
    readonly handle: (services: Services, payload: EventPayloads[Name], run: JobRun) => Promise<void>;
  };
}

/** A subscription as it stands in a family's list, whatever its fact. */
export type AnySubscription<Services> = { readonly [Name in EventName]: Subscription<Services, Name> }[EventName];

/** Writes down a subscription with the payload's type of its fact. */
export function subscription<Services, Name extends EventName>(
  value: Subscription<Services, Name>,
): Subscription<Services, Name> {
  return value;
}

interface EventBus<Services> {
  /** Tells every subscriber, in the order of the families' lists, as part of the act. */
  publish<Name extends EventName>(uow: UnitOfWork, name: Name, payload: EventPayloads[Name]): Promise<void>;
  /** Does one piece of what the fact will ask for; says whether there may be more. */
  publishBatch<Name extends EventName>(uow: UnitOfWork, name: Name, payload: EventPayloads[Name]): Promise<boolean>;
  /** The queue's part of it. */
  readonly jobs: readonly Job<Services, never>[];
}

/** Made by server.ts from the families' subscriptions. */
export function createEventBus<Services>(subscriptions: readonly AnySubscription<Services>[]): EventBus<Services> {
  return {
    async publish(uow, name, payload) {
      for (const { event: fact, inBatches: inPieces, inTransaction, inBackground: afterwards } of subscriptions) {
        if (fact !== name) continue;
        while ((await (inPieces as Piece | undefined)?.(uow, payload)) === MORE);
        await (inTransaction as Told | undefined)?.(uow, payload);
        if (afterwards) await enqueue(uow, afterwards as Job<never, unknown>, payload);
      }
    },
    async publishBatch(uow, name, payload) {
      for (const { event: fact, inBatches: inPieces } of subscriptions) {
        if (fact === name && (await (inPieces as Piece | undefined)?.(uow, payload)) === MORE) return true;
      }
      return false;
    },
    jobs: subscriptions.flatMap(({ inBackground: afterwards }) =>
      afterwards ? [afterwards as Job<Services, never>] : [],
    ),
  };
}

/** The list holds every fact's subscriptions together; that name and payload belong to each other was checked when they were written. */
type Told = (uow: UnitOfWork, payload: EventPayloads[EventName]) => Promise<void>;
type Piece = (uow: UnitOfWork, payload: EventPayloads[EventName]) => Promise<typeof MORE | undefined>;
