import { sql } from 'kysely';
import { isAmong } from '#database/dialect.ts';
import { projectsInside } from '#domain/namespaces/hierarchy.ts';
import { subscription } from '#events/event-bus.ts';
import type { Kind } from './kind.ts';

/** Who leaves a group or project may leave what was his to do there. index: issue_assignees_by_user, merge_request_assignees_by_user */
export const unassignWhoLeaves = (kind: Kind) =>
  subscription({
    event: 'membership-ended',
    async inTransaction(uow, { userId, sourceType, sourceId, unassign }) {
      if (!unassign) return;
      const [assignees, things] = [sql.table(kind.assignees), sql.table(kind.things)];
      const places = sourceType === 'project' ? sql`(${sourceId})` : sql`(${projectsInside(uow, sourceId)})`;
      const found = sql<{ id: number }>`select mine.id from ${assignees} as mine
        inner join ${things} as thing on thing.id = ${sql.ref(`mine.${kind.id}`)}
        where mine.user_id = ${userId} and thing.project_id in ${places}`;
      const ids = (await found.execute(uow)).rows.map(({ id }) => id);
      if (ids.length > 0) await sql`delete from ${assignees} where ${isAmong(uow, sql<number>`id`, ids)}`.execute(uow);
    },
  });
