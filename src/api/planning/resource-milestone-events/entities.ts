import { Type } from 'typebox';
import { stillThere } from '../../../access/gone.ts';
import { moment, nullable } from '../../../http/endpoint/answers.ts';
import { entity } from '../../../http/endpoint/entity.ts';
import { UserBasic, usersById } from '../../identity/users/index.ts';
import { Milestone, milestonesById } from '../milestones/index.ts';
import type { MilestoneEventRow } from './store.ts';

/** contract/planning.md §1 "MilestoneEvent"; the milestone is shown as it is now. */
export const MilestoneEvent = entity('MilestoneEvent', {
  id: Type.Integer(),
  /** Null once the account is gone. */
  user: nullable(UserBasic.schema),
  created_at: moment,
  resource_type: Type.String(),
  resource_id: Type.Integer(),
  milestone: Milestone.schema,
  action: Type.Enum(['add', 'remove']),
  /** Of the thing at that moment. */
  state: Type.String(),
}).from(
  async (rows: readonly MilestoneEventRow[], to) => {
    const [users, milestones] = await Promise.all([
      usersById(
        to.db,
        rows.map(({ user_id }) => user_id),
      ),
      milestonesById(
        to.db,
        rows.map(({ milestone_id }) => milestone_id),
      ),
    ]);
    const shown = await Milestone.all([...milestones.values()], to);
    return { users, milestones: new Map(shown.map((milestone) => [milestone.id, milestone])) };
  },
  ({ id, user_id, created_at, issue_id, milestone_id, action, state }, to, { users, milestones }) => {
    const user = users.get(user_id ?? 0);
    return {
      id,
      user: user === undefined ? null : UserBasic.one(user, to),
      created_at,
      resource_type: 'Issue',
      resource_id: issue_id!,
      milestone: stillThere(milestones.get(milestone_id)),
      action,
      state,
    };
  },
);
