import { type CiMap, type CiValue, isMap } from './values.ts';

/** Merges maps recursively; for other values the second wins (contract/runners.md §6, `extends`). */
export function deepMerge(first: CiMap, second: CiMap, onCopied: (keys: number) => void): CiMap {
  onCopied(first.size + second.size);
  const merged = new Map<string, CiValue>(first);
  for (const [key, value] of second) {
    const existingValue = merged.get(key);
    merged.set(key, isMap(existingValue) && isMap(value) ? deepMerge(existingValue, value, onCopied) : value);
  }
  return merged;
}
