import { sql } from 'kysely';
import { isAmongTexts } from '#database/dialect.ts';
import type { EventPayloads } from '#events/domain-events.ts';
import { subscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { HEADS } from '#git/ref-names.ts';
import { zeroId } from '#git/refs/refs.ts';
import { enqueue } from '#jobs/job.ts';
import { checkSoon } from '../merging/check-mergeability.ts';
import { markMerged } from '../merging/mark-merged.ts';
import { mergeByPush } from '../merging/merge-by-push.ts';
import { followHeads } from './update-heads.ts';

/**
 * What changes of branches mean for merge requests, in the act that records them: one is merged; heads follow their source
 * branches; and nobody knows any more whether what has moved can be merged.
 */
export const followBranches = subscription({
  event: 'refs-changed',
  async inTransaction(uow, { projectId, userId, changes, merge }) {
    if (merge) await markMerged(uow, { ...merge, userId });
    const moved = new Map(
      changes.filter(({ ref }) => ref.startsWith(HEADS)).map((change) => [branchOf(change), change]),
    );
    if (moved.size === 0) return;
    const names = [...moved.keys()];
    const fromThem = await openFrom(uow, projectId, names);
    const toThem = await openTargets(uow, projectId, names);
    if (fromThem.length + toThem.length === 0) return;
    const heads = fromThem.flatMap(({ source_branch, ...mergeRequest }) => {
      const head = moved.get(source_branch)?.newId ?? zeroId;
      // A branch that is gone leaves the head where it was: what was to be merged is known still.
      return head === zeroId ? [] : [{ ...mergeRequest, head }];
    });
    await followHeads(uow, projectId, heads);
    await forgetChecks(uow, projectId, names);
    await checkSoon(uow, projectId);
    const pushes = toThem
      .flatMap((name) => moved.get(name) ?? [])
      .filter(({ oldId, newId }) => oldId !== zeroId && newId !== zeroId);
    if (pushes.length > 0) await enqueue(uow, mergeByPush, { projectId, userId, changes: pushes });
  },
});

type Change = EventPayloads['refs-changed']['changes'][number];

const branchOf = ({ ref }: Change) => ref.slice(HEADS.length);

/** Open merge requests from these branches. index: merge_requests_open_by_branches */
function openFrom(uow: UnitOfWork, projectId: number, names: readonly string[]) {
  return uow
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'source_branch', 'head_sha'])
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('opened' as const))
    .where(isAmongTexts(uow, sql<string>`source_branch`, names))
    .execute();
}

/** Those of these branches into which something is open. index: merge_requests_open_by_target */
async function openTargets(uow: UnitOfWork, projectId: number, names: readonly string[]): Promise<string[]> {
  const rows = await uow
    .selectFrom('merge_requests')
    .select('target_branch')
    .distinct()
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('opened' as const))
    .where(isAmongTexts(uow, sql<string>`target_branch`, names))
    .execute();
  return rows.map(({ target_branch }) => target_branch);
}

/** index: merge_requests_checked, merge_requests_open_by_branches */
async function forgetChecks(uow: UnitOfWork, projectId: number, names: readonly string[]): Promise<void> {
  for (const side of ['target_branch', 'source_branch'] as const) {
    await uow
      .updateTable('merge_requests')
      .set({ merge_status: 'unchecked', merge_check: null })
      .where('project_id', '=', projectId)
      .where('state', '=', sql.lit('opened' as const))
      .where('merge_status', '<>', sql.lit('unchecked' as const))
      .where(isAmongTexts(uow, sql.ref<string>(side), names))
      .execute();
  }
}
