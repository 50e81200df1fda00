import type { AlertStatus } from '#database/tables/alerts.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { saySystemNotes, setStatuses } from './store.ts';

/** The one way in which an alert that is there changes its status (contract/monitoring.md "States", §4, §6). */

/** What the notes of what Hearth does by itself, or of what somebody does, say. */
export const NOTES = {
  logged: (source: string) => `logged an alert from **${source}**`,
  recovered: (source: string) => `logged a recovery alert from **${source}**`,
  status: (status: AlertStatus) => `changed the status to **${status[0]!.toUpperCase()}${status.slice(1)}**`,
  assigned: (username: string) => `assigned to @${username}`,
  unassigned: (username: string) => `unassigned @${username}`,
} as const;

export interface AlertStep {
  readonly id: number;
  readonly to: AlertStatus;
  /** When it ended, of one that is resolved now; absent: now. */
  readonly endedAt?: string | null | undefined;
  /** What is said of it, in this order. */
  readonly notes: readonly string[];
}

/** Alerts that have another status than before, each once; `authorId` is said to have done it. */
export async function stepAlerts(uow: UnitOfWork, authorId: number, steps: readonly AlertStep[]): Promise<void> {
  const { now } = uow;
  await setStatuses(
    uow,
    steps.map(({ id, to, endedAt }) => ({
      id,
      status: to,
      ended_at: to === 'resolved' ? (endedAt ?? now) : null,
      now,
    })),
  );
  await saySystemNotes(
    uow,
    steps.flatMap(({ id, notes }) => notes.map((body) => ({ alertId: id, authorId, body }))),
  );
}
