import { randomInt } from 'node:crypto';

/** Chooses the storage of a new repository by weight. If all weights are zero each storage is equally likely. */
export function chooseStorage(storages: readonly string[], weights: Readonly<Record<string, number>>): string {
  const weightedStorages = storages.map((name) => ({ name, weight: weights[name] ?? 0 }));
  const totalWeight = weightedStorages.reduce((sum, { weight }) => sum + weight, 0);
  if (totalWeight === 0) return storages[randomInt(storages.length)]!;
  let remainingWeight = randomInt(totalWeight);
  for (const { name, weight } of weightedStorages) {
    if (remainingWeight < weight) return name;
    remainingWeight -= weight;
  }
  throw new Error('The weights of the storages do not add up');
}
