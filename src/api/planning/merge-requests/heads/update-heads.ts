import { sql } from 'kysely';
import { isInIds } from '#database/dialect.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { abortOrRetryAutoMerges } from '../auto-merge/job.ts';
import { deleteRebases } from '../rebase.ts';
import { enqueueHeadRefSync } from './head-refs.ts';

/** Number of heads updated in one statement. */
const BATCH_SIZE = 200;

/** Maximum number of merge requests for which one push publishes events. */
const MAX_PUSH_NOTIFICATIONS = 100;

interface HeadUpdate {
  readonly id: number;
  readonly iid: number;
  /** The stored head. */
  readonly head_sha: string;
  /** The new head. */
  readonly head: string;
}

/** Updates the heads of open merge requests whose source branches moved, in the unit of work that records the push. */
export async function updateHeads(uow: UnitOfWork, projectId: number, updates: readonly HeadUpdate[]): Promise<void> {
  const movedHeads = updates.filter(({ head_sha, head }) => head !== head_sha);
  if (movedHeads.length === 0) return;
  const ids = movedHeads.map(({ id }) => id);
  await enqueueHeadRefSync(
    uow,
    projectId,
    movedHeads.map(({ iid }) => iid),
  );
  await deleteRebases(uow, ids);
  await abortOrRetryAutoMerges(uow, ids);
  for (const { id } of movedHeads.slice(0, MAX_PUSH_NOTIFICATIONS)) {
    await uow.publish('notifiable-event-occurred', {
      event: 'push_to_merge_request',
      about: { type: 'MergeRequest', id },
    });
  }
  for (let offset = 0; offset < movedHeads.length; offset += BATCH_SIZE) {
    const batch = movedHeads.slice(offset, offset + BATCH_SIZE);
    const headCases = batch.map(({ id, head }) => sql`when ${id} then ${head}`);
    await uow
      .updateTable('merge_requests')
      .set({
        head_sha: sql<string>`case id ${sql.join(headCases, sql` `)} end`,
        merge_error: null,
        merge_status: 'unchecked',
        merge_check: null,
        updated_at: uow.now,
      })
      .where(
        isInIds(
          uow,
          sql<number>`id`,
          batch.map(({ id }) => id),
        ),
      )
      .execute();
    const versions = batch.map(({ id, head }) => ({
      merge_request_id: id,
      head_commit_sha: head,
      created_at: uow.now,
    }));
    await uow.insertInto('merge_request_versions').values(versions).execute();
  }
}
