import { Type } from 'typebox';
import { requireRow } from '#domain/row-deleted.ts';
import { entity } from '#http/endpoint/entity.ts';
import { loadMilestonesById, Milestone } from '../milestones/index.ts';
import { loadEventUsers, resourceEventFields, serializeResourceEvent } from '../noteables/index.ts';
import type { MilestoneEventRow } from './store.ts';

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
