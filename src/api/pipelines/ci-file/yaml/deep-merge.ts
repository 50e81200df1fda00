import { type CiMap, type CiValue, isMap } from './values.ts';

/** Merges maps recursively; for other values the second wins (contract/runners.md §6, `extends`). */
export function deepMerge(first: CiMap, second: CiMap, copied: (keys: number) => void): CiMap {
  copied(first.size + second.size);
  const merged = new Map<string, CiValue>(first);
  for (const [key, value] of second) {
    const before = merged.get(key);
    merged.set(key, isMap(before) && isMap(value) ? deepMerge(before, value, copied) : value);
  }
  return merged;
}
