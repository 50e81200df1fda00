import { createYielder } from '#runtime/yielding.ts';

/** Lists the values of a payload that alert fields may be mapped to (contract/monitoring.md §5 "payload_fields"). */

type Path = (string | number)[];

interface Field {
  readonly path: Path;
  readonly label: string;
  readonly type: 'array' | 'datetime' | 'string' | 'number';
}

/** Maximum total characters of all fields: the labels of a 1 MiB payload could add up to a gigabyte. */
const MAX_TOTAL_LENGTH = 16 * 1024 * 1024;
/** Estimated characters that each field adds to the response in addition to its path and label. */
const FIELD_OVERHEAD = 48;

/** Returns every integer, text and list in the payload, or null if the response would be too large. */
export async function listPayloadFields(payload: Readonly<Record<string, unknown>>): Promise<Field[] | null> {
  const fields: Field[] = [];
  const yieldIfDue = createYielder();
  const pendingNodes: PayloadNode[] = [{ value: payload, path: [], label: '' }];
  let totalLength = 0;
  for (let node = pendingNodes.pop(); node !== undefined; node = pendingNodes.pop()) {
    const { value, path, label } = node;
    const type = getFieldType(value);
    if (type !== null) fields.push({ path, label, type });
    for (const member of listMembers(node)) {
      pendingNodes.push(member);
      // The path and the label have about the same length.
      totalLength += 2 * member.label.length + FIELD_OVERHEAD;
      if (totalLength > MAX_TOTAL_LENGTH) return null;
      const pendingYield = yieldIfDue();
      if (pendingYield !== undefined) await pendingYield;
    }
  }
  return fields;
}

/** A value of the payload and its path; the label is the path as text. */
interface PayloadNode {
  readonly value: unknown;
  readonly path: Path;
  readonly label: string;
}

/** Yields the members of an object or the items of a list. */
function* listMembers({ value, path, label }: PayloadNode): Iterable<PayloadNode> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield { value: item, path: [...path, index], label: `${label}[${index}]` };
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      yield { value: item, path: [...path, name], label: toLabel(label, name) };
    }
  }
}

const toLabel = (parentLabel: string, name: string) => (parentLabel === '' ? name : `${parentLabel}/${name}`);

/** Returns the type of the value, or null if no alert field can be mapped to it. */
function getFieldType(value: unknown): Field['type'] | null {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return /^\d{4}/.test(value) ? 'datetime' : 'string';
  return Number.isInteger(value) ? 'number' : null;
}
