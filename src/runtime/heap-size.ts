/**
 * Estimates how many bytes a value occupies on the heap, to bound caches by their real size; characters alone are a third of
 * it. Shared data (shapes, property names) is not counted.
 */
export function estimateHeapSize(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return HEADER + value.length * (isNarrow(value) ? 1 : 2);
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < 2 ** 30 ? 0 : HEADER;
    case 'bigint':
      return HEADER;
    case 'object':
      return value === null ? 0 : estimateObjectSize(value);
    default:
      return 0;
  }
}

const HEADER = 16;
const SLOT = 8;
/** The header of an object: its map, properties and elements pointers. */
const OBJECT = 3 * SLOT;

function estimateObjectSize(value: object): number {
  if (ArrayBuffer.isView(value)) return value.byteLength + 10 * SLOT;
  let sum = OBJECT;
  if (Array.isArray(value)) {
    sum += HEADER;
    for (const one of value) sum += SLOT + estimateHeapSize(one);
    return sum;
  }
  for (const name in value) sum += SLOT + estimateHeapSize((value as Record<string, unknown>)[name]);
  return sum;
}

/** V8 stores Latin-1 texts with one byte per character. Here only ASCII texts count as narrow. */
function isNarrow(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
