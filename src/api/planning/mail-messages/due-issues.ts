import type { Reader } from '#database/database.ts';
import { PIECE } from '#events/batches.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import { daysAfter, today } from '#runtime/clock.ts';
import { tellBySelf, writesMails } from './notify.ts';

/** Tells of open issues that are due on the next day (contract/activity.md Part 5), of each once for that day. */
export const tellOfDueIssues = defineJob({
  kind: 'mail_issues_due',
  async handle({ config, database, clock }: Pick<Services, 'config' | 'database' | 'clock'>) {
    if (!writesMails(config)) return;
    const day = daysAfter(today(clock), 1);
    for (let after = 0; ; ) {
      const ids = await dueAfter(database.reader, day, after);
      await database.transaction(async (tx) => {
        for (const id of ids) {
          await tellBySelf(tx, { event: 'issue_due', about: { type: 'Issue', id } }, `issue_due_${id}_${day}`);
        }
      });
      if (ids.length < PIECE) return;
      after = ids.at(-1)!;
    }
  },
});

export const tellOfDueIssuesDaily = {
  name: 'mail_issues_due',
  cron: '50 0 * * *',
  job: tellOfDueIssues,
  when: writesMails,
};

/** index: issues_due */
async function dueAfter(db: Reader, day: string, after: number): Promise<number[]> {
  const rows = await db
    .selectFrom('issues')
    .select('id')
    .where('state', '=', 'opened')
    .where('due_date', '=', day)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PIECE)
    .execute();
  return rows.map(({ id }) => id);
}
