import { type Static, type TObject, Type } from 'typebox';
import { entity, type SerializationContext, type ShapeOf } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { ErrorEvent } from './event-entities.ts';
import { type EventRow, findFirstRelease, findLatestEvent } from './event-store.ts';
import { type ErrorRow, listEnvironments, loadHourlyCounts } from './store.ts';

/** Entities of an error (contract/monitoring.md §13). */

const text = Type.String();
const optionalText = nullable(text);

const fields = {
  id: Type.Integer(),
  fingerprint: text,
  type: Type.Enum(['error', 'default']),
  name: text,
  message: optionalText,
  title: text,
  culprit: optionalText,
  platform: text,
  level: Type.Enum(['fatal', 'error', 'warning', 'info', 'debug']),
  status: Type.Enum(['unresolved', 'resolved', 'ignored']),
  count: Type.Integer(),
  user_count: Type.Integer(),
  first_seen: dateTime,
  last_seen: dateTime,
  project_id: Type.Integer(),
  web_url: text,
};

/** Returns the name, followed by the message for an exception that has one. */
const getTitle = ({ type, name, message }: ErrorRow) =>
  type === 'default' || message === null ? name : `${name}: ${message}`;

const serializeError = (row: ErrorRow, { url }: SerializationContext): Static<TObject<typeof fields>> => ({
  id: row.id,
  fingerprint: row.fingerprint,
  type: row.type,
  name: row.name,
  message: row.message,
  title: getTitle(row),
  culprit: row.culprit,
  platform: row.platform,
  level: row.level,
  status: row.status,
  count: row.event_count,
  user_count: row.user_count,
  first_seen: row.first_seen,
  last_seen: row.last_seen,
  project_id: row.project_id,
  web_url: `${url}/${row.full_path}/-/error_tracking/${row.id}/details`,
});

/** An error in lists. */
export const TrackedError = entity('TrackedError', fields).from(serializeError);

const HOUR_SECONDS = 3600;
const FREQUENCY_HOURS = 24;

/** Returns the number of events in each of the last 24 hours; the last entry is the current hour. */
async function loadFrequency(
  { id }: ErrorRow,
  { db, now }: SerializationContext,
): Promise<[hour: number, count: number][]> {
  const currentHour = Math.floor(Date.parse(now) / 1000 / HOUR_SECONDS) * HOUR_SECONDS;
  const hours = Array.from(
    { length: FREQUENCY_HOURS },
    (_, index) => currentHour - (FREQUENCY_HOURS - 1 - index) * HOUR_SECONDS,
  );
  const counts = await loadHourlyCounts(db, id, hours[0]!);
  return hours.map((hour) => [hour, counts.get(hour) ?? 0]);
}

interface TrackedErrorRelations {
  readonly environments: string[];
  readonly firstReleaseVersion: string | null;
  readonly latestEventRow: EventRow | null;
  readonly frequency: [number, number][];
  readonly latestEvent: ShapeOf<typeof ErrorEvent> | null;
}

/** Loads the values of an error that come from its events and aggregates. Runs several queries per error. */
async function loadTrackedErrorRelations(
  rows: readonly ErrorRow[],
  context: SerializationContext,
): Promise<ReadonlyMap<number, TrackedErrorRelations>> {
  const entries = rows.map(async (row): Promise<[number, TrackedErrorRelations]> => {
    const latestEventRow = await findLatestEvent(context.db, row.id);
    const [environments, firstReleaseVersion, frequency, events] = await Promise.all([
      listEnvironments(context.db, row.id),
      findFirstRelease(context.db, row.id),
      loadFrequency(row, context),
      ErrorEvent.serializeAll(latestEventRow ? [latestEventRow] : [], context),
    ]);
    return [row.id, { environments, firstReleaseVersion, latestEventRow, frequency, latestEvent: events[0] ?? null }];
  });
  return new Map(await Promise.all(entries));
}

/** A single error, with the values that come from its events. */
export const TrackedErrorDetails = entity('TrackedErrorAlone', {
  ...fields,
  environments: Type.Array(text),
  first_release_version: optionalText,
  last_release_version: optionalText,
  tags: objectSchema('TrackedErrorTags', { level: fields.level, logger: optionalText }),
  frequency: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])),
  integrated: Type.Boolean(),
  latest_event: nullable(ErrorEvent.schema),
}).from(loadTrackedErrorRelations, (row: ErrorRow, context, relations) => {
  const { environments, firstReleaseVersion, latestEventRow, frequency, latestEvent } = relations.get(row.id)!;
  return {
    ...serializeError(row, context),
    environments,
    first_release_version: firstReleaseVersion,
    last_release_version: latestEventRow?.release ?? null,
    tags: { level: latestEventRow?.level ?? row.level, logger: latestEventRow?.logger ?? null },
    frequency,
    integrated: true,
    latest_event: latestEvent,
  };
});
