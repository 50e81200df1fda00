import { sql } from 'kysely';
import { isInIds } from '#database/dialect.ts';
import { selectDescendantProjectIds } from '#domain/namespaces/hierarchy.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { IssuableTables } from './kind.ts';

/** Unassigns a former member from the issuables of the project or group, if the event has `unassign` set. index: issue_assignees_by_user, merge_request_assignees_by_user */
export const unassignFormerMembers = (tables: IssuableTables) =>
  defineSubscription({
    event: 'membership-ended',
    async inTransaction(uow, { userId, sourceType, sourceId, unassign }) {
      if (!unassign) return;
      const [assignees, issuables] = [sql.table(tables.assigneeTable), sql.table(tables.table)];
      const projectIds =
        sourceType === 'project' ? sql`(${sourceId})` : sql`(${selectDescendantProjectIds(uow, sourceId)})`;
      const assigneeQuery = sql<{ id: number }>`select assignee_link.id from ${assignees} as assignee_link
        inner join ${issuables} as issuable on issuable.id = ${sql.ref(`assignee_link.${tables.foreignKey}`)}
        where assignee_link.user_id = ${userId} and issuable.project_id in ${projectIds}`;
      const ids = (await assigneeQuery.execute(uow)).rows.map(({ id }) => id);
      if (ids.length > 0) await sql`delete from ${assignees} where ${isInIds(uow, sql<number>`id`, ids)}`.execute(uow);
    },
  });
