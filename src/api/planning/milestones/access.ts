import { mayInGroup } from '#authorization/abilities.ts';
import { findGroup, type Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { selfOnly } from '#domain/namespaces/scope.ts';
import type { AccessCall } from '#http/access/access.ts';
import type { ParentContext } from '#http/access/parents.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { describe, required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { findMilestone } from './store.ts';

// Abilities to read and manage milestones, and the loading of the milestone of a path (contract/planning.md §3.5).

export const READ_MILESTONES = { group: 'read_milestone', project: 'read_milestone' } as const;
export const MANAGE_MILESTONES = { group: 'admin_milestone', project: 'admin_milestone' } as const;

/** Loads the milestone of the path from the project or group itself, by id. */
export const milestoneResource = {
  name: 'milestone',
  params: { milestone_id: describe(required(integer), 'Global ID of the milestone, not its `iid`.') },
  load: ({ db, params }: AccessCall<{ readonly milestone_id: number }>, { parent }: ParentContext) =>
    findMilestone(db, selfOnly(parent), params.milestone_id),
  notFound: genericNotFound,
} as const;

interface ProjectAndGroup {
  readonly project: Project;
  readonly group: Group;
}

/** Admits callers who may manage the milestones of both the project and its group, and loads a milestone of the project. */
export const promoteMilestoneAccess = () =>
  inProject('admin_milestone')
    .resource({
      name: 'group',
      load: ({ db, caller }: AccessCall, { project }: { readonly project: Project }) =>
        findGroup(db, caller, String(project.namespace_id)),
      // A personal namespace has no group.
      notFound: forbidden,
      authorize({ caller }: AccessCall, { group }: { readonly group: Group }) {
        if (!mayInGroup(caller, 'admin_milestone', group)) throw forbidden();
      },
    })
    .resource({
      name: 'milestone',
      params: milestoneResource.params,
      load: ({ db, params }: AccessCall<{ readonly milestone_id: number }>, { project }: ProjectAndGroup) =>
        findMilestone(db, selfOnly({ project }), params.milestone_id),
      notFound: genericNotFound,
    })
    // The resources above check both abilities.
    .withLabel('project:admin_milestone, group:admin_milestone');
