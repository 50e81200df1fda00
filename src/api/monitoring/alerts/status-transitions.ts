import type { AlertStatus } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { insertSystemNotes, updateStatuses } from './store.ts';

/** The only code that changes the status of an existing alert (contract/monitoring.md "States", §4, §6). */

/** Texts of the system notes on alerts. */
export const SYSTEM_NOTE_TEXTS = {
  logged: (source: string) => `logged an alert from **${source}**`,
  recovered: (source: string) => `logged a recovery alert from **${source}**`,
  status: (status: AlertStatus) => `changed the status to **${status[0]!.toUpperCase()}${status.slice(1)}**`,
  assigned: (username: string) => `assigned to @${username}`,
  unassigned: (username: string) => `unassigned @${username}`,
} as const;

export interface StatusTransition {
  /** Id of the alert. */
  readonly id: number;
  readonly newStatus: AlertStatus;
  /** End time of an alert that becomes resolved; default: now. */
  readonly endedAt?: string | null | undefined;
  /** Bodies of the system notes to create, in this order. */
  readonly notes: readonly string[];
}

/** Sets the status of these alerts and creates the system notes, written by `authorId`. Each alert may occur once. */
export async function transitionAlerts(
  uow: UnitOfWork,
  authorId: number,
  transitions: readonly StatusTransition[],
): Promise<void> {
  const { now } = uow;
  await updateStatuses(
    uow,
    transitions.map(({ id, newStatus, endedAt }) => ({
      id,
      status: newStatus,
      ended_at: newStatus === 'resolved' ? (endedAt ?? now) : null,
      now,
    })),
  );
  await insertSystemNotes(
    uow,
    transitions.flatMap(({ id, notes }) => notes.map((body) => ({ alertId: id, authorId, body }))),
  );
}
