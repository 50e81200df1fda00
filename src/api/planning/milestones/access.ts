import { mayInGroup } from '#authorization/abilities.ts';
import { findGroup, type Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { ownReach } from '#domain/namespaces/scope.ts';
import type { AccessCall } from '#http/access/access.ts';
import type { InParent } from '#http/access/parents.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { findMilestone } from './store.ts';

/** Who may see and manage milestones, and which one a path names (contract/planning.md §3.5). */

export const SEEING = { group: 'read_milestone', project: 'read_milestone' } as const;
export const MANAGING = { group: 'admin_milestone', project: 'admin_milestone' } as const;

/** The milestone of the project or group itself, by its id. */
export const ownMilestone = {
  name: 'milestone',
  params: { milestone_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly milestone_id: number }>, { parent }: InParent) =>
    findMilestone(db, ownReach(parent), params.milestone_id),
  notFound: nestedNotFound,
} as const;

interface InBoth {
  readonly project: Project;
  readonly group: Group;
}

/** Who may manage the milestones of both the project and its group, and a milestone of the project. */
export const promoting = () =>
  inProject('admin_milestone')
    .resource({
      name: 'group',
      load: ({ db, caller }: AccessCall, { project }: { readonly project: Project }) =>
        findGroup(db, caller, String(project.namespace_id)),
      // In a personal namespace there is none.
      notFound: forbidden,
      authorize({ caller }: AccessCall, { group }: { readonly group: Group }) {
        if (!mayInGroup(caller, 'admin_milestone', group)) throw forbidden();
      },
    })
    .resource({
      name: 'milestone',
      params: { milestone_id: required(integer) },
      load: ({ db, params }: AccessCall<{ readonly milestone_id: number }>, { project }: InBoth) =>
        findMilestone(db, ownReach({ project }), params.milestone_id),
      notFound: nestedNotFound,
    })
    .require(() => {}, 'project:admin_milestone, group:admin_milestone');
