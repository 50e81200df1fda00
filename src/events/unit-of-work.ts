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
import { uniqueViolation } from '#database/constraint-violations.ts';
import type { Database, Transaction, TransactionOptions } from '#database/database.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { EventName, EventPayloads } from './domain-events.ts';
import { type Occurrence, occurrenceOfDeed, occurrenceOfStep } from './mail-occurrences.ts';

/**
 * A transaction in which somebody does something: the first argument of every verb, and the only thing that tells it who,
 * when and on which tier. Like every transaction it holds SQL only and may be run again; returning a Failure rolls it back.
 */
export interface UnitOfWork<By extends Caller = Caller> extends Transaction {
  /** Who does it; `ANONYMOUS` for what Hearth does by itself. */
  readonly actor: By;
  /** What this server offers (contract/conventions.md §11). */
  readonly tier: Tier;
  /** Tells other families what happened, as part of the act. */
  publish<Name extends EventName>(name: Name, payload: EventPayloads[Name]): Promise<void>;
  /** Has a piece done of what a fact will ask for that is to be published soon; says whether there may be more (events/batches.ts). */
  publishBatch<Name extends EventName>(name: Name, payload: EventPayloads[Name]): Promise<boolean>;
  /**
   * Writes into the history what was done: an activity of a project's feed; by whoever acts an audit event, a step in the
   * history of an issue's states, milestones, labels or weights, or a system note on it. Who may be told of it by mail hears of it too.
   */
  record(event: HistoryEvent): Promise<void>;
}

type HistoryEvent = ActivityEvent | AuditEvent | StateEvent | MilestoneEvent | LabelEvents | WeightEvent | SystemNote;

/**
 * Which refusal says that a unique index has refused a row: uniqueness is the database's to enforce, and whoever lost a
 * race hears the same as who came late.
 */
export type UniqueErrors<Code extends string = string> = Readonly<Record<string, Code | Failure<Code>>>;

/**
 * Runs `work` as an act of this caller, in one transaction, and returns what it returns. Rolled back when it throws, or
 * returns a Failure.
 */
export type RunUnitOfWork = <By extends Caller, T>(
  by: By,
  work: (uow: UnitOfWork<By>) => Promise<T>,
  options?: TransactionOptions,
) => Promise<T>;

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

export function createRunUnitOfWork({ database, tier, publish, publishBatch }: UnitOfWorkServices): RunUnitOfWork {
  return (actor, work, options) =>
    database.transaction((tx) => {
      const uow: UnitOfWork<typeof actor> = Object.assign(tx, {
        actor,
        tier,
        publish: <Name extends EventName>(name: Name, payload: EventPayloads[Name]) => publish(uow, name, payload),
        publishBatch: <Name extends EventName>(name: Name, payload: EventPayloads[Name]) =>
          publishBatch(uow, name, payload),
        record: (event: HistoryEvent) => record(uow, event),
      });
      return work(uow);
    }, options);
}

async function record(uow: UnitOfWork, event: HistoryEvent): Promise<void> {
  const actor = uow.actor.user?.id ?? null;
  if ('stateOf' in event) {
    await recordStateEvent(uow, actor, event);
    return tell(uow, occurrenceOfStep(event));
  }
  if ('milestoneOf' in event) return recordMilestoneEvent(uow, actor, event);
  if ('labelsOf' in event) return recordLabelEvents(uow, actor, event);
  if ('weightOf' in event) return recordWeightEvent(uow, actor, event);
  if ('noteOn' in event) return recordSystemNote(uow, actor, event);
  if (!('action' in event)) return recordAudit(uow, uow, event);
  await recordActivity(uow, event);
  return tell(uow, occurrenceOfDeed(event));
}

async function tell(uow: UnitOfWork, occurrence: Occurrence | null): Promise<void> {
  if (occurrence !== null) await uow.publish('occurred', occurrence);
}

/** What `taken` says of an error; undefined when it is no unique index's, or none that is listed. */
export function failureOfUniqueIndex<Code extends string>(
  error: unknown,
  taken: UniqueErrors<Code>,
): Failure<Code> | undefined {
  const index = uniqueViolation(error);
  const said = index === null ? undefined : taken[index];
  if (said === undefined) return undefined;
  return isFailure(said) ? said : fail(said);
}
