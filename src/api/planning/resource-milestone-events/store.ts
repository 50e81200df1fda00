import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import { groupVisibleTo, projectVisibleTo } from '../../../access/visible.ts';
import type { Reader, Schema } from '../../../database/database.ts';
import { type Page, paged } from '../../../database/page.ts';
import { columnOf, type Resource } from '../../../history/index.ts';
import type { OffsetRequest } from '../../../http/lists/pagination.ts';
import type { Caller } from '../../../identity/caller.ts';

export type MilestoneEventRow = Selectable<Schema['resource_milestone_events']>;

/** Those whose milestone the caller may read. index: resource_milestone_events_by_issue, milestones primary key */
function eventsOf(db: Reader, caller: Caller, { type, id }: Resource) {
  return db
    .selectFrom('resource_milestone_events')
    .innerJoin('milestones', 'milestones.id', 'resource_milestone_events.milestone_id')
    .selectAll('resource_milestone_events')
    .where(`resource_milestone_events.${columnOf(type)}`, '=', id)
    .where(milestoneVisibleTo(caller, db.today));
}

/** One page of a thing's events, the first one first. */
export function listMilestoneEvents(
  db: Reader,
  caller: Caller,
  thing: Resource,
  page: OffsetRequest,
): Promise<Page<MilestoneEventRow>> {
  return paged(db, eventsOf(db, caller, thing).orderBy('resource_milestone_events.id', 'asc'), page);
}

/** One of the thing's own. */
export async function findMilestoneEvent(
  db: Reader,
  caller: Caller,
  thing: Resource,
  id: number,
): Promise<MilestoneEventRow | null> {
  const found = eventsOf(db, caller, thing).where('resource_milestone_events.id', '=', id);
  return (await found.executeTakeFirst()) ?? null;
}

/**
 * A thing that has moved with its project may have had a milestone of a group that is out of sight. Values and not EXISTS:
 * of that PostgreSQL would make lists of all that the caller sees. index: projects primary key, namespaces primary key
 */
function milestoneVisibleTo(caller: Caller, today: string) {
  return (eb: ExpressionBuilder<Schema, 'milestones'>): Expression<SqlBool> => {
    const project = eb
      .selectFrom('projects')
      .select('projects.id')
      .whereRef('projects.id', '=', 'milestones.project_id')
      .where(projectVisibleTo(caller, today))
      .limit(1);
    const group = eb
      .selectFrom('namespaces')
      .select('namespaces.id')
      .whereRef('namespaces.id', '=', 'milestones.group_id')
      .where(groupVisibleTo(caller, today))
      .limit(1);
    return eb.or([eb(project, 'is not', null), eb(group, 'is not', null)]);
  };
}
