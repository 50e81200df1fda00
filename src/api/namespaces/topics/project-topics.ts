import type { Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { findTopicsByKey, insertTopics, loadTopicNames, replaceProjectTopics } from './store.ts';

/**
 * Gives a project the topics with these names, and creates those that do not exist. Names are trimmed; blank ones, and further ones
 * that differ only in case, are ignored.
 */
export async function setProjectTopics(tx: Transaction, projectId: number, names: readonly string[]): Promise<void> {
  const namesByKey = new Map<string, string>();
  for (const name of names.map((text) => text.trim()).filter((text) => text !== '')) {
    if (!namesByKey.has(foldCase(name))) namesByKey.set(foldCase(name), name);
  }
  const keys = [...namesByKey.keys()];
  const currentNames = (await loadTopicNames(tx, [projectId])).get(projectId) ?? [];
  if (currentNames.map(foldCase).join('\n') === keys.join('\n')) return;
  await replaceProjectTopics(tx, projectId, await findOrCreateTopics(tx, namesByKey));
}

/** Returns the ids of the topics, in the order of the names. */
async function findOrCreateTopics(tx: Transaction, namesByKey: ReadonlyMap<string, string>): Promise<number[]> {
  if (namesByKey.size === 0) return [];
  const topics = await findTopicsByKey(tx, [...namesByKey.keys()]);
  const existingKeys = new Set(topics.map(({ name_key }) => name_key));
  const newNames = [...namesByKey].filter(([key]) => !existingKeys.has(key)).map(([, name]) => name);
  const newTopics = newNames.length === 0 ? [] : await insertTopics(tx, newNames);
  const idsByKey = new Map([...topics, ...newTopics].map(({ id, name_key }) => [name_key, id]));
  return [...namesByKey.keys()].map((key) => idsByKey.get(key)!);
}
