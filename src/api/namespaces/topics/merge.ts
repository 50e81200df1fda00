import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { copyProjects, deleteTopic, findTopic, type TopicRow } from './store.ts';

/** Moves the projects of the source topic to the target topic, deletes the source topic and returns the target topic. */
export async function mergeTopics(
  uow: UnitOfWork,
  sourceId: number,
  targetId: number,
): Promise<TopicRow | Failure<'notFound' | 'identical'>> {
  const [source, target] = [await findTopic(uow, sourceId), await findTopic(uow, targetId)];
  if (source === null || target === null) return fail('notFound');
  if (sourceId === targetId) return fail('identical');
  await copyProjects(uow, sourceId, targetId);
  await deleteTopic(uow, sourceId);
  return (await findTopic(uow, targetId)) ?? fail('notFound');
}
