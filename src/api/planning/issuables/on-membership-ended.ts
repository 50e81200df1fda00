import { sql } from 'kysely';
import { isInIds } from '#database/dialect.ts';
import { selectDescendantProjectIds } from '#domain/namespaces/hierarchy.ts';
import { subscription } from '#events/event-bus.ts';
import type { IssuableTables } from './kind.ts';

/** Unassigns a former member from the issuables of the project or group, if the event asks for it. index: issue_assignees_by_user, merge_request_assignees_by_user */
export const unassignFormerMembers = (tables: IssuableTables) =>
  subscription({
    event: 'membership-ended',
    async inTransaction(uow, { userId, sourceType, sourceId, unassign }) {
      if (!unassign) return;
      const [assignees, issuables] = [sql.table(tables.assigneeTable), sql.table(tables.table)];
      const projectIds =
        sourceType === 'project' ? sql`(${sourceId})` : sql`(${selectDescendantProjectIds(uow, sourceId)})`;
      const batchQuery = sql<{ id: number }>`select mine.id from ${assignees} as mine
        inner join ${issuables} as thing on thing.id = ${sql.ref(`mine.${tables.foreignKey}`)}
        where mine.user_id = ${userId} and thing.project_id in ${projectIds}`;
      const ids = (await batchQuery.execute(uow)).rows.map(({ id }) => id);
      if (ids.length > 0) await sql`delete from ${assignees} where ${isInIds(uow, sql<number>`id`, ids)}`.execute(uow);
    },
  });
