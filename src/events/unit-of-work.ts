import {
  type ActivityEvent,
  type AuditEvent,
  type LabelEvents,
  type MilestoneEvent,
  recordActivity,
  recordAudit,
  recordLabelEvents,
  recordMilestoneEvent,
  recordStateEvent,
  recordSystemNote,
  recordWeightEvent,
  type StateEvent,
  type SystemNote,
  type WeightEvent,
} from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Tier } from '#config.ts';
import { getViolatedUniqueIndex } from '#database/constraint-violations.ts';
import {
  type Database,
  runForClient,
  type Transaction,
  type TransactionOptions,
  type WritingClient,
} from '#database/database.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { EventName, EventPayloads } from './domain-events.ts';
import { type NotifiableEvent, toNotifiableActivityEvent, toNotifiableStateEvent } from './notifiable-events.ts';

/**
 * A transaction with its actor: the first argument of every write function, which takes the actor, the time and the
 * tier from it. It contains only SQL and may run again; a returned Failure rolls it back.
 */
export interface UnitOfWork<By extends Caller = Caller> extends Transaction {
  /** The acting caller; `ANONYMOUS` for the server itself. */
  readonly actor: By;
  /** The tier of this server (contract/conventions.md §11). */
  readonly tier: Tier;
  /** Publishes a domain event: its subscribers run as part of this transaction, or in background jobs after it. */
  publish<Name extends EventName>(name: Name, payload: EventPayloads[Name]): Promise<void>;
  /**
   * Runs one batch of the work that an event will cause, before the event is published. Returns whether there may be
   * more (events/batches.ts).
   */
  publishBatch<Name extends EventName>(name: Name, payload: EventPayloads[Name]): Promise<boolean>;
  /**
   * Records an activity event, an audit event, a resource event or a system note, with `actor` as its author where the
   * event names none. Notifies users by mail where it applies.
   */
  record(event: RecordableEvent): Promise<void>;
}

type RecordableEvent =
  | ActivityEvent
  | AuditEvent
  | StateEvent
  | MilestoneEvent
  | LabelEvents
  | WeightEvent
  | SystemNote;

/**
 * Unique index -> failure code. The database enforces uniqueness, so a concurrent duplicate fails in the same way as an
 * earlier one.
 */
export type UniqueErrors<Code extends string = string> = Readonly<Record<string, Code | Failure<Code>>>;

/** Runs `work` in one transaction as `actor` and returns its result. Rolls back if it throws or returns a Failure. */
export interface RunUnitOfWork {
  <By extends Caller, T>(
    actor: By,
    work: (uow: UnitOfWork<By>) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  /** The function for work that several clients share; absent if this is it. */
  readonly shared?: RunUnitOfWork;
}

/** Returns the function for one request: its transactions wait on behalf of the client (`database/transactions.ts`). */
export function runUnitOfWorkForClient(runUnitOfWork: RunUnitOfWork, writer: WritingClient): RunUnitOfWork {
  const runForThisClient: RunUnitOfWork = (actor, work, options) =>
    runForClient(writer, options, (clientOptions) => runUnitOfWork(actor, work, clientOptions));
  return Object.assign(runForThisClient, { shared: runUnitOfWork });
}

interface UnitOfWorkServices {
  readonly database: Database;
  readonly tier: Tier;
  readonly publish: <Name extends EventName>(
    uow: UnitOfWork,
    name: Name,
    payload: EventPayloads[Name],
  ) => Promise<void>;
  readonly publishBatch: <Name extends EventName>(
    uow: UnitOfWork,
    name: Name,
    payload: EventPayloads[Name],
  ) => Promise<boolean>;
}

/** Creates the function that runs units of work on this database. */
export function createRunUnitOfWork({ database, tier, publish, publishBatch }: UnitOfWorkServices): RunUnitOfWork {
  return (actor, work, options) =>
    database.transaction((tx) => {
      // Extends the transaction itself, so that functions for transactions take a unit of work, too.
      const uow: UnitOfWork<typeof actor> = Object.assign(tx, {
        actor,
        tier,
        publish: <Name extends EventName>(name: Name, payload: EventPayloads[Name]) => publish(uow, name, payload),
        publishBatch: <Name extends EventName>(name: Name, payload: EventPayloads[Name]) =>
          publishBatch(uow, name, payload),
        record: (event: RecordableEvent) => record(uow, event),
      });
      return work(uow);
    }, options);
}

async function record(uow: UnitOfWork, event: RecordableEvent): Promise<void> {
  const actorId = uow.actor.user?.id ?? null;
  if ('stateOf' in event) {
    await recordStateEvent(uow, actorId, event);
    return publishNotifiableEvent(uow, toNotifiableStateEvent(event));
  }
  if ('milestoneOf' in event) return recordMilestoneEvent(uow, actorId, event);
  if ('labelsOf' in event) return recordLabelEvents(uow, actorId, event);
  if ('weightOf' in event) return recordWeightEvent(uow, actorId, event);
  if ('noteOn' in event) return recordSystemNote(uow, actorId, event);
  // The unit of work is the transaction and the audit context (actor and tier).
  if (!('action' in event)) return recordAudit(uow, uow, event);
  await recordActivity(uow, event);
  return publishNotifiableEvent(uow, toNotifiableActivityEvent(event));
}

async function publishNotifiableEvent(uow: UnitOfWork, event: NotifiableEvent | null): Promise<void> {
  if (event !== null) await uow.publish('notifiable-event-occurred', event);
}

/** Returns the failure for a unique violation that `uniqueErrors` lists; undefined for any other error. */
export function toUniqueFailure<Code extends string>(
  error: unknown,
  uniqueErrors: UniqueErrors<Code>,
): Failure<Code> | undefined {
  const index = getViolatedUniqueIndex(error);
  const failure = index === null ? undefined : uniqueErrors[index];
  if (failure === undefined) return undefined;
  return isFailure(failure) ? failure : fail(failure);
}
