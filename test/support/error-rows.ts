import type { Insertable } from 'kysely';
import type { Schema } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { Project, World } from './world.ts';

// Inserts errors and error events directly, for tests that do not concern their ingestion.

let made = 0;
const hex = (length: number) => (++made).toString(16).padStart(length, '0');

/** Inserts an error with one event and no affected user; returns its id. */
export async function errorRow(
  here: World,
  project: Pick<Project, 'id'>,
  row: Partial<Insertable<Schema['errors']>> = {},
): Promise<number> {
  const { name = 'ZeroDivisionError', message = 'division by zero', culprit = 'index(polls.views)' } = row;
  return here.server.services.database.transaction(async (tx) => {
    const values = {
      project_id: project.id,
      fingerprint: hex(40),
      type: 'error',
      name,
      name_key: foldCase(name),
      message,
      message_key: message && foldCase(message),
      culprit,
      culprit_key: culprit && foldCase(culprit),
      platform: 'python',
      level: 'error',
      status: 'unresolved',
      event_count: 1,
      user_count: 0,
      first_seen: tx.now,
      last_seen: tx.now,
      last_received_at: tx.now,
      ...row,
    } as const;
    return (await tx.insertInto('errors').values(values).returning('id').executeTakeFirstOrThrow()).id;
  });
}

/** Inserts an event of this error; returns its event id in the API. */
export async function eventRow(
  here: World,
  project: Pick<Project, 'id'>,
  errorId: number,
  row: Partial<Insertable<Schema['error_events']>> = {},
): Promise<string> {
  return here.server.services.database.transaction(async (tx) => {
    const values = {
      project_id: project.id,
      error_id: errorId,
      event_id: hex(32),
      type: 'error',
      level: 'error',
      message: 'division by zero',
      environment: null,
      release: null,
      logger: null,
      platform: 'python',
      affected_user: null,
      tags: '{}',
      occurred_at: tx.now,
      received_at: tx.now,
      payload: '{}',
      ...row,
    } as const;
    return (await tx.insertInto('error_events').values(values).returning('event_id').executeTakeFirstOrThrow())
      .event_id;
  });
}
