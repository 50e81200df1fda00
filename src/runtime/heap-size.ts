/**
 * About how many bytes a value holds on the heap, so that caches are bounded by what they really hold: characters alone
 * are a third of it. What is shared (shapes, the names of properties) costs nothing.
 */
export function bytesOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return HEADER + value.length * (isNarrow(value) ? 1 : 2);
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < 2 ** 30 ? 0 : HEADER;
    case 'bigint':
      return HEADER;
    case 'object':
      return value === null ? 0 : bytesOfObject(value);
    default:
      return 0;
  }
}

const HEADER = 16;
const SLOT = 8;
/** Of an object: its map, its properties, its elements. */
const OBJECT = 3 * SLOT;

function bytesOfObject(value: object): number {
  if (ArrayBuffer.isView(value)) return value.byteLength + 10 * SLOT;
  let sum = OBJECT;
  if (Array.isArray(value)) {
    sum += HEADER;
    for (const one of value) sum += SLOT + bytesOf(one);
    return sum;
  }
  for (const name in value) sum += SLOT + bytesOf((value as Record<string, unknown>)[name]);
  return sum;
}

/** Texts of one byte a character are kept so. Those that are not ASCII count as wide, which a few of them are not. */
function isNarrow(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
