import { Type } from 'typebox';
import { mapLazyText } from '#database/long-texts.ts';
import { entity, type SerializationContext, type ShapeOf } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { parseJsonIncrementally } from '#http/request/incremental-json.ts';
import { createYielder } from '#runtime/yielding.ts';
import type { JsonObject } from '#text/json-object.ts';
import { buildStackTrace, type Frame } from './stack-trace.ts';
import {
  type ErrorRow,
  type EventRow,
  findFirstRelease,
  findLatestEvent,
  listEnvironments,
  loadHourlyCounts,
  loadPayloads,
  loadTags,
} from './store.ts';

const text = Type.String();
const optionalText = nullable(text);

// Entities of an event (contract/monitoring.md §13).

const eventFields = {
  id: text,
  error_id: Type.Integer(),
  type: Type.Enum(['error', 'default']),
  level: Type.Enum(['fatal', 'error', 'warning', 'info', 'debug']),
  message: optionalText,
  environment: optionalText,
  release: optionalText,
  platform: text,
  user: nullable(
    objectSchema('ErrorEventUser', {
      id: optionalText,
      email: optionalText,
      username: optionalText,
      ip_address: optionalText,
    }),
  ),
  tags: Type.Record(Type.String(), Type.String()),
  occurred_at: dateTime,
  received_at: dateTime,
  stacktrace: Type.Array(
    objectSchema('ErrorEventFrame', {
      lineNo: nullable(Type.Integer()),
      colNo: Type.Integer(),
      filename: optionalText,
      abs_path: optionalText,
      function: optionalText,
      context: Type.Array(Type.Tuple([Type.Integer(), text])),
    }),
  ),
};

type Tags = Readonly<Record<string, string>>;

const EVENT_COLUMNS = [
  ...(['error_id', 'type', 'level', 'message', 'environment', 'release', 'platform', 'occurred_at'] as const),
  'received_at',
] as const;

const serializeEvent = (row: EventRow, tags: Tags) => ({
  id: row.event_id,
  user: row.affected_user === null ? null : JSON.parse(row.affected_user),
  tags,
});

/** Loads payloads or tags by event id. An event that was deleted in the meantime yields `{}`. */
async function loadTexts(
  loader: typeof loadPayloads,
  rows: readonly EventRow[],
  { db }: SerializationContext,
): Promise<ReadonlyMap<number, string>> {
  const texts = await loader(
    db,
    rows.map(({ id }) => id),
  );
  return new Map(rows.map(({ id }) => [id, texts.get(id) ?? '{}']));
}

const parseTags = (json: string): Tags => JSON.parse(json);

const parsePayload = async (payload: string) => (await parseJsonIncrementally(payload)) as JsonObject;

interface EventRelations {
  readonly tags: Tags;
  readonly stacktrace: Frame[];
}

/**
 * Loads tags and stack traces. Yields between events, because parsing a hundred payloads of 64 KiB would block the
 * event loop.
 */
async function loadEventRelations(
  rows: readonly EventRow[],
  context: SerializationContext,
): Promise<ReadonlyMap<number, EventRelations>> {
  const yieldIfDue = createYielder();
  const [tags, payloads] = await Promise.all([
    loadTexts(loadTags, rows, context),
    loadTexts(loadPayloads, rows, context),
  ]);
  const relations = new Map<number, EventRelations>();
  for (const [id, payload] of payloads) {
    const stacktrace = await mapLazyText(payload, async (json) => buildStackTrace(await parsePayload(json)));
    relations.set(id, { tags: mapLazyText(tags.get(id)!, parseTags), stacktrace });
    await yieldIfDue();
  }
  return relations;
}

interface EventDetailRelations {
  readonly tags: Tags;
  readonly payload: JsonObject;
}

async function loadEventDetailRelations(
  rows: readonly EventRow[],
  context: SerializationContext,
): Promise<ReadonlyMap<number, EventDetailRelations>> {
  const [tags, payloads] = await Promise.all([
    loadTexts(loadTags, rows, context),
    loadTexts(loadPayloads, rows, context),
  ]);
  const relations = new Map<number, EventDetailRelations>();
  for (const [id, payload] of payloads)
    relations.set(id, { tags: parseTags(tags.get(id)!), payload: await parsePayload(payload) });
  return relations;
}

/** An event in lists, and as the latest event of an error. */
export const ErrorEvent = entity('ErrorEvent', eventFields)
  .columns(...EVENT_COLUMNS)
  .from(loadEventRelations, (row: EventRow, _context, relations) => {
    const { tags, stacktrace } = relations.get(row.id)!;
    return { ...serializeEvent(row, tags), stacktrace };
  });

/** A single event, with its payload as received. */
export const ErrorEventDetails = entity('ErrorEventDetails', { ...eventFields, payload: Type.Object({}) })
  .columns(...EVENT_COLUMNS)
  .from(loadEventDetailRelations, (row: EventRow, _context, relations) => {
    const { tags, payload } = relations.get(row.id)!;
    return { ...serializeEvent(row, tags), stacktrace: buildStackTrace(payload), payload };
  });

// Entities of an error (contract/monitoring.md §13).

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
  user_count: Type.Integer({ description: 'The number of users of the reporting program that the error affected.' }),
  first_seen: dateTime,
  last_seen: dateTime,
  project_id: Type.Integer(),
  web_url: text,
};

/** Returns the name, followed by the message for an exception that has one. */
const getTitle = ({ type, name, message }: ErrorRow) =>
  type === 'default' || message === null ? name : `${name}: ${message}`;

const ERROR_COLUMNS = [
  ...([
    'id',
    'fingerprint',
    'type',
    'name',
    'message',
    'culprit',
    'platform',
    'level',
    'status',
    'user_count',
  ] as const),
  ...(['first_seen', 'last_seen', 'project_id'] as const),
] as const;

const serializeError = (row: ErrorRow, { url }: SerializationContext) => ({
  title: getTitle(row),
  count: row.event_count,
  web_url: `${url}/${row.full_path}/-/error_tracking/${row.id}/details`,
});

/** An error in lists. */
export const TrackedError = entity('TrackedError', fields)
  .columns(...ERROR_COLUMNS)
  .from(serializeError);

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
export const TrackedErrorDetails = entity('TrackedErrorDetails', {
  ...fields,
  environments: Type.Array(text),
  first_release_version: optionalText,
  last_release_version: optionalText,
  tags: objectSchema('TrackedErrorTags', { level: fields.level, logger: optionalText }),
  frequency: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()]), {
    description: 'The start of each of the last 24 hours in Unix seconds, and the number of events in it.',
  }),
  integrated: Type.Boolean({ description: 'Always true, because errors of other backends are not listed.' }),
  latest_event: nullable(ErrorEvent.schema),
})
  .columns(...ERROR_COLUMNS)
  .from(loadTrackedErrorRelations, (row: ErrorRow, context, relations) => {
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
