import { findIssue, mayReadIssue } from '../../../access/issues.ts';
import type { Project } from '../../../access/projects.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import { inPublicProject } from '../../../http/access/project-access.ts';
import { required } from '../../../http/parameters/declarations.ts';
import { integer } from '../../../http/parameters/types.ts';
import { nestedNotFound } from '../../../http/refusals/refusal.ts';

/** The issue of `:issue_iid`, for who may read it; to all others it is not there. */
export const readableIssue = {
  name: 'issue',
  params: { issue_iid: required(integer) },
  async find(
    { db, caller, params }: AccessCall<{ readonly issue_iid: number }>,
    { project }: { readonly project: Project },
  ) {
    const issue = await findIssue(db, caller, project.id, params.issue_iid);
    return issue !== null && mayReadIssue(caller, project, issue) ? issue : null;
  },
  missing: nestedNotFound,
} as const;

/** Whoever reads it, the public where it is open. */
export const readingIssue = () => inPublicProject('read_project').record(readableIssue);
