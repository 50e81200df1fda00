import { Type } from 'typebox';
import { mapLazyText } from '#database/long-texts.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { parseJsonIncrementally } from '#http/request/incremental-json.ts';
import { createYielder } from '#runtime/yielding.ts';
import type { JsonObject } from '#text/json-object.ts';
import { type EventRow, loadPayloads, loadTags } from './event-store.ts';
import { buildStackTrace, type Frame } from './stack-trace.ts';

/** Entities of an event (contract/monitoring.md §13). */

const text = Type.String();
const optionalText = nullable(text);

const fields = {
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

/** Serializes all fields except the stack trace, which comes from the payload. */
const serializeEvent = (row: EventRow, tags: Tags) => ({
  id: row.event_id,
  error_id: row.error_id,
  type: row.type,
  level: row.level,
  message: row.message,
  environment: row.environment,
  release: row.release,
  platform: row.platform,
  user: row.affected_user === null ? null : JSON.parse(row.affected_user),
  tags,
  occurred_at: row.occurred_at,
  received_at: row.received_at,
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
export const ErrorEvent = entity('ErrorEvent', fields).from(
  loadEventRelations,
  (row: EventRow, _context, relations) => {
    const { tags, stacktrace } = relations.get(row.id)!;
    return { ...serializeEvent(row, tags), stacktrace };
  },
);

/** A single event, with its payload as received. */
export const ErrorEventDetails = entity('ErrorEventAlone', { ...fields, payload: Type.Object({}) }).from(
  loadEventDetailRelations,
  (row: EventRow, _context, relations) => {
    const { tags, payload } = relations.get(row.id)!;
    return { ...serializeEvent(row, tags), stacktrace: buildStackTrace(payload), payload };
  },
);
