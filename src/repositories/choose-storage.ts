import { randomInt } from 'node:crypto';

/** Where a new repository goes: a weighted choice among the configured storages; without any weight each is as likely. */
export function chooseStorage(storages: readonly string[], weights: Readonly<Record<string, number>>): string {
  const weighted = storages.map((name) => ({ name, weight: weights[name] ?? 0 }));
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return storages[randomInt(storages.length)] as string;
  let at = randomInt(total);
  for (const { name, weight } of weighted) {
    if (at < weight) return name;
    at -= weight;
  }
  throw new Error('The weights of the storages do not add up');
}
