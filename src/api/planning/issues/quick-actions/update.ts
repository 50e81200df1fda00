import { issueLinksLockKey } from '#api/planning/link-rows/index.ts';
import type { QuickActionKind } from '#api/planning/quick-actions/index.ts';
import { findIssues } from '#authorization/issues.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import type { ProjectIssuable } from '#http/access/noteables.ts';
import { issuesLockKey } from '../lock-key.ts';
import { updateIssueWithQuickActions } from '../update.ts';
import { loadIssueSubject } from './subject.ts';

/** Quick actions in comments on issues. */
export const issueQuickActions: QuickActionKind<ProjectIssuable> = {
  async runUnitOfWork({ runUnitOfWork, database }, caller, { project, id, iid }, { lock, moveTarget }, work) {
    const target = moveTarget === undefined ? null : await findProject(database.reader, caller, moveTarget);
    return runUnitOfWork(caller, (uow) => work(uow, (input) => updateIssueWithQuickActions(uow, project, iid, input)), {
      lock: [...lock, issueLinksLockKey({ id }), ...(target === null ? [] : [issuesLockKey(target)])],
    });
  },
  async loadSubject(uow, caller, { id, project }) {
    const [issue] = await findIssues(uow, caller, [id]);
    return issue === undefined ? null : loadIssueSubject(uow, project, issue);
  },
};
