import { type CloseReason, closeIssue } from '#api/planning/issues/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { findIssue, mayUpdateIssue } from '#authorization/issues.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';

/** Closes the issue with this iid as the caller, if it exists and they may update it. */
export async function closeIssueByIid(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  project: Project,
  iid: number,
  reason: CloseReason,
): Promise<void> {
  await runUnitOfWork(caller, async (uow) => {
    const issue = await findIssue(uow, caller, project.id, iid);
    if (issue === null || !mayUpdateIssue(caller, project, issue)) return;
    await closeIssue(uow, issue, reason);
  });
}
