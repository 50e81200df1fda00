import { Type } from 'typebox';
import { mapText } from '../../../database/long-texts.ts';
import { givingWay } from '../../../gate.ts';
import { moment, nullable, shape } from '../../../http/endpoint/answers.ts';
import { entity, type Showing } from '../../../http/endpoint/entity.ts';
import { type EventRow, payloadsOf } from './event-store.ts';
import { type Frame, stackOf } from './stack.ts';

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
  occurred_at: moment,
  received_at: moment,
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

/** Everything but the stack, which stands in what was received. */
const told = (row: EventRow) => ({
  id: row.event_id,
  error_id: row.error_id,
  type: row.type,
  level: row.level,
  message: row.message,
  environment: row.environment,
  release: row.release,
  platform: row.platform,
  user: row.affected_user === null ? null : JSON.parse(row.affected_user),
  tags: JSON.parse(row.tags),
  occurred_at: row.occurred_at,
  received_at: row.received_at,
});

/** What was received, by event; a row that goes meanwhile has left nothing. */
async function receivedOf(rows: readonly EventRow[], { db }: Showing): Promise<ReadonlyMap<number, string>> {
  const payloads = await payloadsOf(
    db,
    rows.map(({ id }) => id),
  );
  return new Map(rows.map(({ id }) => [id, payloads.get(id) ?? '{}']));
}

/** The stacks of these: a hundred events of 64 KiB are too much to be looked at in one go. */
async function stacksOf(rows: readonly EventRow[], to: Showing): Promise<ReadonlyMap<number, Frame[]>> {
  const giveWay = givingWay();
  const stacks = new Map<number, Frame[]>();
  for (const [id, payload] of await receivedOf(rows, to)) {
    stacks.set(
      id,
      mapText(payload, (json) => stackOf(JSON.parse(json))),
    );
    await giveWay();
  }
  return stacks;
}

/** In lists, and as the latest one of its error. */
export const ErrorEvent = entity('ErrorEvent', fields).from(stacksOf, (row: EventRow, _to, stacks) => ({
  ...told(row),
  stacktrace: stacks.get(row.id) ?? [],
}));

/** Read alone, with all that was received. */
export const ErrorEventAlone = entity('ErrorEventAlone', { ...fields, payload: Type.Object({}) }).from(
  receivedOf,
  (row: EventRow, _to, received) => {
    const payload = JSON.parse(received.get(row.id) ?? '{}');
    return { ...told(row), stacktrace: stackOf(payload), payload };
  },
);
