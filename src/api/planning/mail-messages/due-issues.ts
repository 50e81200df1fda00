import type { Reader } from '#database/database.ts';
import { BATCH_SIZE } from '#events/batches.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import { addDays, getToday } from '#runtime/clock.ts';
import { enqueueSystemNotification, isMailEnabled } from './notify.ts';

/** Notifies of open issues that are due on the next day, once per issue and day (contract/activity.md Part 5). */
export const notifyOfDueIssues = defineJob({
  kind: 'mail_issues_due',
  async handle({ config, database, clock }: Pick<Services, 'config' | 'database' | 'clock'>) {
    if (!isMailEnabled(config)) return;
    const dueDate = addDays(getToday(clock), 1);
    for (let lastId = 0; ; ) {
      const ids = await listDueIssueIds(database.reader, dueDate, lastId);
      await database.transaction(async (tx) => {
        for (const id of ids) {
          await enqueueSystemNotification(
            tx,
            { event: 'issue_due', about: { type: 'Issue', id } },
            `issue_due_${id}_${dueDate}`,
          );
        }
      });
      if (ids.length < BATCH_SIZE) return;
      lastId = ids.at(-1)!;
    }
  },
});

export const notifyOfDueIssuesDaily = {
  name: 'mail_issues_due',
  cron: '50 0 * * *',
  job: notifyOfDueIssues,
  isEnabled: isMailEnabled,
};

/** index: issues_due */
async function listDueIssueIds(db: Reader, dueDate: string, lastId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('issues')
    .select('id')
    .where('state', '=', 'opened')
    .where('due_date', '=', dueDate)
    .where('id', '>', lastId)
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute();
  return rows.map(({ id }) => id);
}
