import { Type } from 'typebox';
import { mapText } from '#database/long-texts.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable, shape } from '#http/endpoint/responses.ts';
import { parseJsonIncrementally } from '#http/request/incremental-json.ts';
import { createYielder } from '#runtime/concurrency-limiter.ts';
import type { JsonObject } from '#text/json-object.ts';
import { type EventRow, payloadsOf, tagsOf } from './event-store.ts';
import { type Frame, stackOf } from './stack-trace.ts';

/** The forms of an event (contract/monitoring.md §13). */

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
    shape('ErrorEventUser', {
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
    shape('ErrorEventFrame', {
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

/** Everything but the stack, which stands in what was received. */
const told = (row: EventRow, tags: Tags) => ({
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

/** What was received, or the tags of it, by event; a row that goes meanwhile has left nothing. */
async function textsIn(
  textsOf: typeof payloadsOf,
  rows: readonly EventRow[],
  { db }: SerializationContext,
): Promise<ReadonlyMap<number, string>> {
  const texts = await textsOf(
    db,
    rows.map(({ id }) => id),
  );
  return new Map(rows.map(({ id }) => [id, texts.get(id) ?? '{}']));
}

const readTags = (json: string): Tags => JSON.parse(json);

const parsed = async (payload: string) => (await parseJsonIncrementally(payload)) as JsonObject;

interface Beside {
  readonly tags: Tags;
  readonly stacktrace: Frame[];
}

/** Tags and stacks of these: a hundred events of 64 KiB are too much to be looked at in one go. */
async function besideEach(rows: readonly EventRow[], to: SerializationContext): Promise<ReadonlyMap<number, Beside>> {
  const giveWay = createYielder();
  const [tags, received] = await Promise.all([textsIn(tagsOf, rows, to), textsIn(payloadsOf, rows, to)]);
  const beside = new Map<number, Beside>();
  for (const [id, payload] of received) {
    const stacktrace = await mapText(payload, async (json) => stackOf(await parsed(json)));
    beside.set(id, { tags: mapText(tags.get(id)!, readTags), stacktrace });
    await giveWay();
  }
  return beside;
}

interface Alone {
  readonly tags: Tags;
  readonly payload: JsonObject;
}

async function besideAlone(rows: readonly EventRow[], to: SerializationContext): Promise<ReadonlyMap<number, Alone>> {
  const [tags, received] = await Promise.all([textsIn(tagsOf, rows, to), textsIn(payloadsOf, rows, to)]);
  const beside = new Map<number, Alone>();
  for (const [id, payload] of received)
    beside.set(id, { tags: readTags(tags.get(id)!), payload: await parsed(payload) });
  return beside;
}

/** In lists, and as the latest one of its error. */
export const ErrorEvent = entity('ErrorEvent', fields).from(besideEach, (row: EventRow, _to, beside) => {
  const { tags, stacktrace } = beside.get(row.id)!;
  return { ...told(row, tags), stacktrace };
});

/** Read alone, with all that was received. */
export const ErrorEventAlone = entity('ErrorEventAlone', { ...fields, payload: Type.Object({}) }).from(
  besideAlone,
  (row: EventRow, _to, beside) => {
    const { tags, payload } = beside.get(row.id)!;
    return { ...told(row, tags), stacktrace: stackOf(payload), payload };
  },
);
