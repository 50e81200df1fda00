/** Returns the first text that `getText` returns for an item, or null if it returns null for all. */
export function findFirstText<T>(
  items: readonly T[],
  getText: (item: T, index: number) => string | null,
): string | null {
  for (const [index, item] of items.entries()) {
    const text = getText(item, index);
    if (text !== null) return text;
  }
  return null;
}
