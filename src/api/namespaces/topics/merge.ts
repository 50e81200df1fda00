import type { SignedInCaller } from '#authentication/caller.ts';
import { BATCH_SIZE, MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { deleteTopic, detachProjects, findTopic, type TopicRow } from './store.ts';

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
      if (await removeTopicBatch(uow, sourceId, targetId)) return MORE;
      return (await findTopic(uow, targetId)) as TopicRow;
    },
  });
}

/** Takes the topic from its projects, in batches because their number is not limited, and deletes it. */
export async function removeTopic(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  id: number,
): Promise<undefined> {
  await runInBatches(runUnitOfWork, caller, {
    recheck: recheckNothing,
    runBatch: async (uow) => ((await removeTopicBatch(uow, id, null)) ? MORE : undefined),
  });
}

/** Handles one batch of projects; the last one deletes the topic. Returns whether there may be more. */
async function removeTopicBatch(uow: UnitOfWork, id: number, replacementId: number | null): Promise<boolean> {
  if ((await detachProjects(uow, id, replacementId, BATCH_SIZE)) === BATCH_SIZE) return true;
  await deleteTopic(uow, id);
  return false;
}
