import { ownReach } from '../../../access/reach.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import type { InParent } from '../../../http/access/parents.ts';
import { required } from '../../../http/parameters/declarations.ts';
import { integer } from '../../../http/parameters/types.ts';
import { nestedNotFound } from '../../../http/refusals/refusal.ts';
import { findMilestone } from './store.ts';

/** Who may see and manage milestones, and which one a path names (contract/planning.md §3.5). */

export const SEEING = { group: 'read_milestone', project: 'read_milestone' } as const;
export const MANAGING = { group: 'admin_milestone', project: 'admin_milestone' } as const;

/** The milestone of the project or group itself, by its id. */
export const ownMilestone = {
  name: 'milestone',
  params: { milestone_id: required(integer) },
  find: ({ db, params }: AccessCall<{ readonly milestone_id: number }>, { parent }: InParent) =>
    findMilestone(db, ownReach(parent), params.milestone_id),
  missing: nestedNotFound,
} as const;
