import type { SignedInCaller } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { BATCH_SIZE, MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid, requireRow } from '#runtime/failure.ts';
import {
  deleteTopicRow,
  detachProjects,
  findTopic,
  findTopicsByKey,
  insertTopic,
  insertTopics,
  loadTopicNames,
  replaceProjectTopics,
  type TopicContent,
  type TopicRow,
  updateTopicRow,
} from './store.ts';

/** Creates a topic without projects. */
export async function createTopic(uow: UnitOfWork, input: TopicContent): Promise<TopicRow | Failure<'invalid'>> {
  const content = { ...input, name: input.name.trim() };
  const errors = validateTopic(content);
  return errors === null ? insertTopic(uow, content) : invalid(errors);
}

/** Updates the given values. A new name appears in the projects of the topic. */
export async function updateTopic(
  uow: UnitOfWork,
  topic: TopicRow,
  input: { readonly [Name in keyof TopicContent]?: string | null | undefined },
): Promise<TopicRow | Failure<'invalid' | 'notFound'>> {
  const content = {
    name: (input.name ?? topic.name).trim(),
    title: input.title ?? topic.title,
    description: input.description === undefined ? topic.description : input.description,
  };
  const errors = validateTopic(content);
  if (errors !== null) return invalid(errors);
  return (await updateTopicRow(uow, topic.id, content)) ?? fail('notFound');
}

/** Moves the projects of the source topic to the target topic, deletes the source topic and returns the target topic. */
export async function mergeTopics(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  sourceId: number,
  targetId: number,
): Promise<TopicRow | Failure<'notFound' | 'identical'>> {
  return runInBatches(runUnitOfWork, caller, {
    async recheck(uow) {
      const [source, target] = [await findTopic(uow, sourceId), await findTopic(uow, targetId)];
      if (source === null || target === null) return fail('notFound');
      return sourceId === targetId ? fail('identical') : undefined;
    },
    async runBatch(uow) {
      if (await deleteTopicBatch(uow, sourceId, targetId)) return MORE;
      return requireRow(await findTopic(uow, targetId));
    },
  });
}

/** Removes the topic from its projects, in batches because there may be any number of them, and then deletes it. */
export async function deleteTopicInBatches(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  id: number,
): Promise<undefined> {
  await runInBatches(runUnitOfWork, caller, {
    recheck: recheckNothing,
    runBatch: async (uow) => ((await deleteTopicBatch(uow, id, null)) ? MORE : undefined),
  });
}

/**
 * Removes the topic from one batch of projects, which get the replacement unless it is null. The last batch deletes the topic.
 * Returns whether more projects may have it.
 */
async function deleteTopicBatch(uow: UnitOfWork, id: number, replacementId: number | null): Promise<boolean> {
  if ((await detachProjects(uow, id, replacementId, BATCH_SIZE)) === BATCH_SIZE) return true;
  await deleteTopicRow(uow, id);
  return false;
}

const MAX_NAME_LENGTH = 255;
const MAX_DESCRIPTION_LENGTH = 1024;

/** Rejects line breaks and other control characters in a name. */
export function validateTopicCharacters(name: string): string[] {
  return /[\p{Cc}\u2028\u2029]/u.test(name) ? ['has characters that are not allowed'] : [];
}

/** Returns the errors of a topic, or null. */
function validateTopic({ name, title, description }: TopicContent): FieldErrors | null {
  return compactFieldErrors({
    name: [...validateText(name), ...validateTopicCharacters(name)],
    title: validateText(title),
    description: validateLength(description ?? '', MAX_DESCRIPTION_LENGTH),
  });
}

function validateText(text: string): string[] {
  return text.trim() === '' ? ["can't be blank"] : validateLength(text, MAX_NAME_LENGTH);
}

function validateLength(text: string, maxLength: number): string[] {
  return [...text].length > maxLength ? [`is too long (maximum is ${maxLength} characters)`] : [];
}

/**
 * Replaces the topics of a project by those with these names, and creates missing ones. Names are trimmed. Blank names are
 * ignored. If names differ only in case, the first one counts.
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
