import { mayInProject } from '#authorization/abilities.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, unauthorized } from '#http/errors/http-error.ts';
import { mayMergeInto } from '#repositories/ref-updates/ref-permissions.ts';
import { type OfMergeRequest, ownMergeRequest, readableMergeRequest, readingMergeRequest } from './access.ts';

/** Who gets to the code through a merge request. */

/** Whoever reads it and the code of its project: there are members who plan, and read no code. */
export const readingItsCode = () =>
  readingMergeRequest().require(mayReadCode, 'project:read_merge_request, read_code (public)');

/** The same of those who have signed in. */
export const readingItsCodeSignedIn = () =>
  inProject('read_merge_request')
    .resource(ownMergeRequest)
    .require(mayReadCode, 'project:read_merge_request, read_code');

function mayReadCode({ caller }: AccessCall, { project }: { readonly project: Project }): void {
  if (!mayInProject(caller, 'read_code', project)) throw forbidden();
}

/**
 * Signed-in callers who may do this to a merge request that they read; to those who don't it is not there. Of an archived project
 * nobody may.
 */
export const actingOnReadable = (allow: (call: AccessCall, found: OfMergeRequest) => Promise<void> | void) =>
  inProject('read_project').resource({
    ...readableMergeRequest,
    async authorize(call: AccessCall, found: OfMergeRequest) {
      if (found.project.archived) throw forbidden();
      await allow(call, found);
    },
  });

/** Whoever may merge into its target branch; others are told so by 401. */
export const mergingMergeRequest = () =>
  actingOnReadable(async ({ db, caller }, { project, mergeRequest }) => {
    if (!(await mayMergeInto(db, caller, project, mergeRequest.target_branch))) throw unauthorized();
  }).require(() => {}, 'project:merge into branch (401)');

/** The same, and its author. */
export const mergingOrOwnMergeRequest = () =>
  actingOnReadable(async ({ db, caller }, { project, mergeRequest }) => {
    if (mergeRequest.author_id === caller.user?.id) return;
    if (!(await mayMergeInto(db, caller, project, mergeRequest.target_branch))) throw unauthorized();
  }).require(() => {}, 'project:merge into branch, own merge requests (401)');
