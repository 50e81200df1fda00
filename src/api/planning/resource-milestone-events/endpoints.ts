import { Type } from 'typebox';
import { forNoteables } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { requireRow } from '#runtime/failure.ts';
import { loadMilestonesById, Milestone } from '../milestones/index.ts';
import { loadEventUsers, MILESTONE_KINDS, resourceEventFields, serializeResourceEvent } from '../noteables/index.ts';
import { findMilestoneEvent, listMilestoneEvents, type MilestoneEventRow } from './store.ts';

/** A milestone event with the current state of its milestone (contract/planning.md §1 "MilestoneEvent"). */
export const MilestoneEvent = entity('MilestoneEvent', {
  ...resourceEventFields,
  milestone: Milestone.schema,
  action: Type.Enum(['add', 'remove']),
  /** State of the noteable at that time. */
  state: Type.String(),
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
    access: kind.readAccess(),
    response: page(MilestoneEvent),
    read: (db, { noteable, caller, page }) => listMilestoneEvents(db, caller, noteable, page),
  }),
);

export const [getIssueMilestoneEvent, getMergeRequestMilestoneEvent] = forNoteables(MILESTONE_KINDS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_milestone_events/:resource_milestone_event_id`,
    summary: `Get a milestone event of ${kind.nounWithArticle}`,
    access: kind.readAccess(),
    params: { resource_milestone_event_id: required(integer) },
    errors: { notFound: NOT_FOUND, milestoneHidden: [404, '404 ResourceMilestoneEvent Not Found'] },
    response: ok(MilestoneEvent),
    read: (db, { noteable, caller, params }) =>
      findMilestoneEvent(db, caller, noteable, params.resource_milestone_event_id),
  }),
);
