import { createYielder } from '#runtime/concurrency-limiter.ts';

/** What fields of alerts may be read from in a payload (contract/monitoring.md §5 "payload_fields"). */

type Path = (string | number)[];

interface Field {
  readonly path: Path;
  readonly label: string;
  readonly type: 'array' | 'datetime' | 'string' | 'number';
}

/** Characters of all together: a mebibyte of payload could have them say a gigabyte. */
const LONGEST = 16 * 1024 * 1024;
/** What each takes besides. */
const ROW = 48;

/** Each number and text that can be reached, and each list; null: they would be more than an answer holds. */
export async function payloadFields(payload: Readonly<Record<string, unknown>>): Promise<Field[] | null> {
  const fields: Field[] = [];
  const giveWay = createYielder();
  const waiting: Reached[] = [{ value: payload, path: [], label: '' }];
  let length = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path, label } = next;
    const type = typeOf(value);
    if (type !== null) fields.push({ path, label, type });
    for (const inner of membersOf(next)) {
      waiting.push(inner);
      length += 2 * inner.label.length + ROW;
      if (length > LONGEST) return null;
      const way = giveWay();
      if (way !== undefined) await way;
    }
  }
  return fields;
}

/** A value, and the way to it. */
interface Reached {
  readonly value: unknown;
  readonly path: Path;
  readonly label: string;
}

function* membersOf({ value, path, label }: Reached): Iterable<Reached> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield { value: item, path: [...path, index], label: `${label}[${index}]` };
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      yield { value: item, path: [...path, name], label: labelOf(label, name) };
    }
  }
}

const labelOf = (outer: string, name: string) => (outer === '' ? name : `${outer}/${name}`);

/** Null: no field of an alert is read from it. */
function typeOf(value: unknown): Field['type'] | null {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return /^\d{4}/.test(value) ? 'datetime' : 'string';
  return Number.isInteger(value) ? 'number' : null;
}
