import type { Issue } from '../../../access/issues.ts';
import type { Project } from '../../../access/projects.ts';
import { inProject } from '../../../http/access/project-access.ts';
import type { Thing, ThingKind } from '../../../http/access/things.ts';
import { readableIssue } from './access.ts';

/** Issues, as what hangs on them sees them. */
export const issueThing: ThingKind = {
  type: 'Issue',
  called: 'issue',
  path: '/projects/:id/issues/:issue_iid',
  reading: () =>
    inProject('read_project')
      .record(readableIssue)
      .map(({ project, issue, caller }) => ({ thing: asThing(project, issue), caller })),
};

function asThing(project: Project, { id, iid, discussion_locked }: Issue): Thing {
  return { type: 'Issue', id, iid, project, locked: discussion_locked === true };
}
