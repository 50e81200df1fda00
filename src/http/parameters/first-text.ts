/** Returns the first text that is not null, or null. */
export function firstText<T>(all: readonly T[], say: (one: T, index: number) => string | null): string | null {
  for (const [index, one] of all.entries()) {
    const text = say(one, index);
    if (text !== null) return text;
  }
  return null;
}
