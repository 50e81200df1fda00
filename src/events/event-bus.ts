import type { Config } from '#config.ts';
import { enqueue, type JobDefinition, type JobRun } from '#jobs/job.ts';
import { MORE } from './batches.ts';
import type { EventName, EventPayloads } from './domain-events.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** The reaction of a resource to a domain event. */
interface Subscription<Services, Name extends EventName = EventName> {
  readonly event: Name;
  /** Whether the subscription exists on a server with this configuration; absent: always. */
  readonly isEnabled?: (config: Config) => boolean;
  /**
   * Handles one batch and returns MORE if there is more to do: for work that is too much for one transaction. A publisher
   * that expects the event runs the batches in separate transactions first (`uow.publishBatch`). The remaining batches run
   * in the transaction that publishes the event.
   */
  readonly inBatches?: (uow: UnitOfWork, payload: EventPayloads[Name]) => Promise<typeof MORE | undefined>;
  /** Runs in the transaction that publishes the event: SQL only. */
  readonly inTransaction?: (uow: UnitOfWork, payload: EventPayloads[Name]) => Promise<void>;
  /** Enqueues a job that runs at least once after the commit. `kind` is stored: never rename it. */
  readonly inBackground?: {
    readonly kind: string;
    readonly maxAttempts?: number;
    readonly handle: (services: Services, payload: EventPayloads[Name], run: JobRun) => Promise<void>;
  };
}

/** A subscription to any event, as it is listed in a resource module. */
export type AnySubscription<Services> = { readonly [Name in EventName]: Subscription<Services, Name> }[EventName];

/** Declares a subscription; infers the type of the payload from the event. */
export function defineSubscription<Services, Name extends EventName>(
  value: Subscription<Services, Name>,
): Subscription<Services, Name> {
  return value;
}

interface EventBus<Services> {
  /** Calls all subscribers of the event as part of the unit of work, in the order of the list. */
  publish<Name extends EventName>(uow: UnitOfWork, name: Name, payload: EventPayloads[Name]): Promise<void>;
  /** Runs one batch of the work that the event will cause. Returns whether there may be more. */
  publishBatch<Name extends EventName>(uow: UnitOfWork, name: Name, payload: EventPayloads[Name]): Promise<boolean>;
  /** The jobs of background subscriptions, for the job queue. */
  readonly jobs: readonly JobDefinition<Services, never>[];
}

/** Creates the event bus. */
export function createEventBus<Services>(subscriptions: readonly AnySubscription<Services>[]): EventBus<Services> {
  return {
    async publish(uow, name, payload) {
      for (const { event, inBatches, inTransaction, inBackground } of subscriptions) {
        if (event !== name) continue;
        while ((await (inBatches as InBatches | undefined)?.(uow, payload)) === MORE);
        await (inTransaction as InTransaction | undefined)?.(uow, payload);
        if (inBackground) await enqueue(uow, inBackground as JobDefinition<never, unknown>, payload);
      }
    },
    async publishBatch(uow, name, payload) {
      for (const { event, inBatches } of subscriptions) {
        if (event === name && (await (inBatches as InBatches | undefined)?.(uow, payload)) === MORE) return true;
      }
      return false;
    },
    jobs: subscriptions.flatMap(({ inBackground }) =>
      inBackground ? [inBackground as JobDefinition<Services, never>] : [],
    ),
  };
}

/** Handlers of any event: the list mixes all events. The declarations have checked that event and payload match. */
type InTransaction = (uow: UnitOfWork, payload: EventPayloads[EventName]) => Promise<void>;
type InBatches = (uow: UnitOfWork, payload: EventPayloads[EventName]) => Promise<typeof MORE | undefined>;
