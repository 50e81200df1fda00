import { mayInProject } from '../../../access/abilities.ts';
import type { MergeRequest } from '../../../access/merge-requests.ts';
import type { Project } from '../../../access/projects.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import { inProject } from '../../../http/access/project-access.ts';
import { forbidden, unauthorized } from '../../../http/refusals/refusal.ts';
import { mayMergeInto } from '../../../repositories/ref-rights.ts';
import { readableMergeRequest, readingMergeRequest } from './access.ts';

/** Who gets to the code through a merge request. */

/** Whoever reads it and the code of its project: there are members who plan, and read no code. */
export const readingItsCode = () =>
  readingMergeRequest().and(({ caller }, { project }) => {
    if (!mayInProject(caller, 'read_code', project)) throw forbidden();
  }, 'project:read_merge_request, read_code (public)');

/** Whoever may merge into its target branch; others are told so by 401. Of an archived project nobody may. */
export const mergingMergeRequest = () =>
  inProject('read_project')
    .record({
      ...readableMergeRequest,
      async allow(
        { db, caller }: AccessCall,
        found: { readonly project: Project; readonly mergeRequest: MergeRequest },
      ) {
        const { project, mergeRequest } = found;
        if (project.archived) throw forbidden();
        if (!(await mayMergeInto(db, caller, project, mergeRequest.target_branch))) throw unauthorized();
      },
    })
    .and(() => {}, 'project:merge into branch (401)');
