import type { QuickActionKind } from '#api/planning/quick-actions/index.ts';
import { findIssues } from '#authorization/issues.ts';
import type { ProjectIssuable } from '#http/access/noteables.ts';
import { updateIssueWithQuickActions } from '../update.ts';
import { loadIssueSubject } from './subject.ts';

/** Quick actions in comments on issues. */
export const issueQuickActions: QuickActionKind<ProjectIssuable> = {
  runUnitOfWork: ({ runUnitOfWork }, caller, { project, iid }, { lock }, work) =>
    runUnitOfWork(caller, (uow) => work(uow, (input) => updateIssueWithQuickActions(uow, project, iid, input)), {
      lock,
    }),
  async loadSubject(uow, caller, { id, project }) {
    const [issue] = await findIssues(uow, caller, [id]);
    return issue === undefined ? null : loadIssueSubject(uow, project, issue);
  },
};
