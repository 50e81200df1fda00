import { Type } from 'typebox';
import { stillThere } from '#domain/row-deleted.ts';
import { entity } from '#http/endpoint/entity.ts';
import { Milestone, milestonesById } from '../milestones/index.ts';
import { shownStep, stepFields, stepUsers } from '../noteables/index.ts';
import type { MilestoneEventRow } from './store.ts';

/** contract/planning.md §1 "MilestoneEvent"; the milestone is shown as it is now. */
export const MilestoneEvent = entity('MilestoneEvent', {
  ...stepFields,
  milestone: Milestone.schema,
  action: Type.Enum(['add', 'remove']),
  /** Of the thing at that moment. */
  state: Type.String(),
}).from(
  async (rows: readonly MilestoneEventRow[], to) => {
    const [users, milestones] = await Promise.all([
      stepUsers(to.db, rows),
      milestonesById(
        to.db,
        rows.map(({ milestone_id }) => milestone_id),
      ),
    ]);
    const shown = await Milestone.serializeAll([...milestones.values()], to);
    return { users, milestones: new Map(shown.map((milestone) => [milestone.id, milestone])) };
  },
  (row, to, { users, milestones }) => ({
    ...shownStep(row, to, users),
    milestone: stillThere(milestones.get(row.milestone_id)),
    action: row.action,
    state: row.state,
  }),
);
