/**
 * Estimates how many bytes a value occupies on the heap, to bound caches by their real size: the characters of texts are only
 * a third of it. Shared data (hidden classes, property names) is not counted.
 */
export function estimateHeapSize(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return HEADER_BYTES + value.length * (isAscii(value) ? 1 : 2);
    case 'number':
      // V8 stores small integers in the slot itself.
      return Number.isInteger(value) && Math.abs(value) < 2 ** 30 ? 0 : HEADER_BYTES;
    case 'bigint':
      return HEADER_BYTES;
    case 'object':
      return value === null ? 0 : estimateObjectSize(value);
    default:
      return 0;
  }
}

/** The header of a string, number or array. */
const HEADER_BYTES = 16;
/** One property, element or pointer. */
const SLOT_BYTES = 8;
/** The header of an object: its map, properties and elements pointers. */
const OBJECT_BYTES = 3 * SLOT_BYTES;

function estimateObjectSize(value: object): number {
  // A view and its buffer object together take about ten slots.
  if (ArrayBuffer.isView(value)) return value.byteLength + 10 * SLOT_BYTES;
  let sum = OBJECT_BYTES;
  if (Array.isArray(value)) {
    sum += HEADER_BYTES;
    for (const element of value) sum += SLOT_BYTES + estimateHeapSize(element);
    return sum;
  }
  for (const name in value) sum += SLOT_BYTES + estimateHeapSize((value as Record<string, unknown>)[name]);
  return sum;
}

/** Returns whether a text is ASCII. V8 stores other Latin-1 texts with one byte per character too; two are estimated. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
