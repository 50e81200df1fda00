import { type Static, type TObject, Type } from 'typebox';
import { entity, type SerializationContext, type ShapeOf } from '#http/endpoint/entity.ts';
import { dateTime, nullable, shape } from '#http/endpoint/responses.ts';
import { ErrorEvent } from './event-entities.ts';
import { type EventRow, firstRelease, latestEvent } from './event-store.ts';
import { countsSince, type ErrorRow, environmentsOf } from './store.ts';

/** The forms of an error (contract/monitoring.md §13). */

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

/** What a message is called says it all; an exception is told with what it says. */
const titleOf = ({ type, name, message }: ErrorRow) =>
  type === 'default' || message === null ? name : `${name}: ${message}`;

const told = (row: ErrorRow, { url }: SerializationContext): Static<TObject<typeof fields>> => ({
  id: row.id,
  fingerprint: row.fingerprint,
  type: row.type,
  name: row.name,
  message: row.message,
  title: titleOf(row),
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

/** In lists. */
export const TrackedError = entity('TrackedError', fields).from(told);

const HOUR = 3600;
const HOURS = 24;

/** How often it has happened in each of the last hours, that of `now` the last. */
async function frequencyOf(
  { id }: ErrorRow,
  { db, now }: SerializationContext,
): Promise<[hour: number, count: number][]> {
  const present = Math.floor(Date.parse(now) / 1000 / HOUR) * HOUR;
  const hours = Array.from({ length: HOURS }, (_, index) => present - (HOURS - 1 - index) * HOUR);
  const counts = await countsSince(db, id, hours[0]!);
  return hours.map((hour) => [hour, counts.get(hour) ?? 0]);
}

interface Details {
  readonly environments: string[];
  readonly first: string | null;
  readonly last: EventRow | null;
  readonly frequency: [number, number][];
  readonly latest: ShapeOf<typeof ErrorEvent> | null;
}

/** All that its events tell of one: it is read alone. */
async function detailsOf(rows: readonly ErrorRow[], to: SerializationContext): Promise<ReadonlyMap<number, Details>> {
  const each = rows.map(async (row): Promise<[number, Details]> => {
    const event = await latestEvent(to.db, row.id);
    const [environments, first, frequency, shown] = await Promise.all([
      environmentsOf(to.db, row.id),
      firstRelease(to.db, row.id),
      frequencyOf(row, to),
      ErrorEvent.serializeAll(event ? [event] : [], to),
    ]);
    return [row.id, { environments, first, last: event, frequency, latest: shown[0] ?? null }];
  });
  return new Map(await Promise.all(each));
}

/** Read alone. */
export const TrackedErrorAlone = entity('TrackedErrorAlone', {
  ...fields,
  environments: Type.Array(text),
  first_release_version: optionalText,
  last_release_version: optionalText,
  tags: shape('TrackedErrorTags', { level: fields.level, logger: optionalText }),
  frequency: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])),
  integrated: Type.Boolean(),
  latest_event: nullable(ErrorEvent.schema),
}).from(detailsOf, (row: ErrorRow, to, details) => {
  const { environments, first, last, frequency, latest } = details.get(row.id)!;
  return {
    ...told(row, to),
    environments,
    first_release_version: first,
    last_release_version: last?.release ?? null,
    tags: { level: last?.level ?? row.level, logger: last?.logger ?? null },
    frequency,
    integrated: true,
    latest_event: latest,
  };
});
