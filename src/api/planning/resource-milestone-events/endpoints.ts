import { Type } from 'typebox';
import { getForeignKeyColumn, type Resource } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Columns, Reader } from '#database/database.ts';
import { hasRow, paginate } from '#database/page.ts';
import { forNoteables } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { type Failure, fail, requireRow } from '#runtime/failure.ts';
import { loadMilestonesById, Milestone } from '../milestones/index.ts';
import {
  labelOrMilestoneVisibleTo,
  loadEventUsers,
  MILESTONE_KINDS,
  resourceEventFields,
  serializeResourceEvent,
} from '../noteables/index.ts';

/** A milestone event with the current state of its milestone (contract/planning.md §1 "MilestoneEvent"). */
export const MilestoneEvent = entity('MilestoneEvent', {
  ...resourceEventFields,
  milestone: Milestone.schema,
  action: Type.Enum(['add', 'remove']),
  state: Type.String({ description: 'State of the issue or merge request at that time.' }),
}).from(
  async (rows: readonly MilestoneEventRow[], context) => {
    const [users, milestones] = await Promise.all([
      loadEventUsers(context.db, rows),
      loadMilestonesById(
        context.db,
        rows.map(({ milestone_id }) => milestone_id),
      ),
    ]);
    const milestoneJsons = await Milestone.serializeAll([...milestones.values()], context);
    return { users, milestonesById: new Map(milestoneJsons.map((milestone) => [milestone.id, milestone])) };
  },
  (row, context, { users, milestonesById }) => ({
    ...serializeResourceEvent(row, context, users),
    milestone: requireRow(milestonesById.get(row.milestone_id)),
    action: row.action,
    state: row.state,
  }),
);

// Milestone events of issues and merge requests (contract/planning.md §2.3).

export const [listIssueMilestoneEvents, listMergeRequestMilestoneEvents] = forNoteables(MILESTONE_KINDS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_milestone_events`,
    summary: `List milestone events of ${kind.nounWithArticle}`,
    description:
      'Lists the changes of the milestone, oldest first, with the milestone as it is now. A replacement is one event, the addition of the new milestone. Events whose milestone is deleted, or not readable for the caller, are left out.',
    access: kind.readAccess(),
    response: page(MilestoneEvent),
    read: (db, { noteable, caller, page }) =>
      paginate(db, selectReadableEvents(db, caller, noteable).orderBy('resource_milestone_events.id', 'asc'), page),
  }),
);

export const [getIssueMilestoneEvent, getMergeRequestMilestoneEvent] = forNoteables(MILESTONE_KINDS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_milestone_events/:resource_milestone_event_id`,
    summary: `Get a milestone event of ${kind.nounWithArticle}`,
    description: 'Returns one event. Answers 404 if its milestone is deleted or not readable for the caller.',
    access: kind.readAccess(),
    params: { resource_milestone_event_id: required(integer) },
    errors: { notFound: NOT_FOUND, milestoneHidden: [404, '404 ResourceMilestoneEvent Not Found'] },
    response: ok(MilestoneEvent),
    read: (db, { noteable, caller, params }) =>
      findMilestoneEvent(db, caller, noteable, params.resource_milestone_event_id),
  }),
);

type MilestoneEventRow = Columns<'resource_milestone_events'> & { readonly milestone_id: number };

type MilestoneResource = Resource<'Issue' | 'MergeRequest'>;

/** Selects the events of the noteable. index: resource_milestone_events_by_issue, resource_milestone_events_by_merge_request */
function selectEvents(db: Reader, { type, id }: MilestoneResource) {
  return db
    .selectFrom('resource_milestone_events')
    .where(`resource_milestone_events.${getForeignKeyColumn(type)}`, '=', id);
}

/** Selects the events whose milestone exists and is readable for the caller. index: milestones primary key */
function selectReadableEvents(db: Reader, caller: Caller, noteable: MilestoneResource) {
  return selectEvents(db, noteable)
    .innerJoin('milestones', 'milestones.id', 'resource_milestone_events.milestone_id')
    .selectAll('resource_milestone_events')
    .where(labelOrMilestoneVisibleTo('milestones', caller, db.today))
    .$narrowType<{ milestone_id: number }>();
}

/** Returns one event of the noteable, or `milestoneHidden` if its milestone is deleted or not readable for the caller. */
async function findMilestoneEvent(
  db: Reader,
  caller: Caller,
  noteable: MilestoneResource,
  id: number,
): Promise<MilestoneEventRow | Failure<'notFound' | 'milestoneHidden'>> {
  const event = await selectReadableEvents(db, caller, noteable)
    .where('resource_milestone_events.id', '=', id)
    .executeTakeFirst();
  if (event !== undefined) return event;
  const eventById = selectEvents(db, noteable).select('id').where('resource_milestone_events.id', '=', id);
  return fail((await hasRow(eventById)) ? 'milestoneHidden' : 'notFound');
}
