import { mayInProject } from '../../../access/abilities.ts';
import type { Project } from '../../../access/projects.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import { inProject } from '../../../http/access/project-access.ts';
import { forbidden, unauthorized } from '../../../http/refusals/refusal.ts';
import { mayMergeInto } from '../../../repositories/ref-rights.ts';
import { type OfMergeRequest, ownMergeRequest, readableMergeRequest, readingMergeRequest } from './access.ts';

/** Who gets to the code through a merge request. */

/** Whoever reads it and the code of its project: there are members who plan, and read no code. */
export const readingItsCode = () =>
  readingMergeRequest().and(mayReadCode, 'project:read_merge_request, read_code (public)');

/** The same of those who have signed in. */
export const readingItsCodeSignedIn = () =>
  inProject('read_merge_request').record(ownMergeRequest).and(mayReadCode, 'project:read_merge_request, read_code');

function mayReadCode({ caller }: AccessCall, { project }: { readonly project: Project }): void {
  if (!mayInProject(caller, 'read_code', project)) throw forbidden();
}

/** Whoever may merge into its target branch; others are told so by 401. Of an archived project nobody may. */
export const mergingMergeRequest = () =>
  inProject('read_project')
    .record({
      ...readableMergeRequest,
      async allow({ db, caller }: AccessCall, { project, mergeRequest }: OfMergeRequest) {
        if (project.archived) throw forbidden();
        if (!(await mayMergeInto(db, caller, project, mergeRequest.target_branch))) throw unauthorized();
      },
    })
    .and(() => {}, 'project:merge into branch (401)');
