import type { SignedInCaller } from '#authentication/caller.ts';
import type { Runner } from '#authorization/runners.ts';
import { runnerColumns } from '#authorization/runners.ts';
import { requireRow } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { incrementQueueVersion, listRunnerTags, replaceTags } from './store.ts';
import { applyContentChanges, distinctTags, type RunnerContentInput, validateContent } from './validation.ts';

/** Updates a runner and changes its queue version, so that it requests jobs again (contract/runners.md §1.3). */
export async function updateRunner(
  uow: UnitOfWork<SignedInCaller>,
  runner: Runner,
  changes: RunnerContentInput & { readonly tag_list?: readonly string[] | null | undefined },
): Promise<Runner | Failure<'invalid'>> {
  const content = applyContentChanges(changes, runner);
  const tags = distinctTags(changes.tag_list);
  const currentTags = await listRunnerTags(uow, runner.id);
  const isChanged =
    tags !== undefined && (tags.length !== currentTags.length || tags.some((tag) => !currentTags.includes(tag)));
  const errors = validateContent(content, { count: (tags ?? currentTags).length, isChanged });
  if (errors) return invalid(errors);
  if (tags !== undefined) await replaceTags(uow, runner.id, tags);
  const updatedRunner = await uow
    .updateTable('runners')
    .set((eb) => ({ ...content, ...incrementQueueVersion(eb), updated_at: uow.now }))
    .where('id', '=', runner.id)
    .returning(runnerColumns)
    .executeTakeFirst();
  return requireRow(updatedRunner);
}
