import { type ClosedBy, closeIssue } from '#api/planning/issues/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { findIssue, mayUpdateIssue } from '#authorization/issues.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';

/** Closes the issue with a number that somebody has written down, in his name and by his rights; nothing, where there is none. */
export async function closeNamed(
  runUnitOfWork: RunUnitOfWork,
  by: SignedInCaller,
  project: Project,
  iid: number,
  because: ClosedBy,
): Promise<void> {
  await runUnitOfWork(by, async (uow) => {
    const issue = await findIssue(uow, by, project.id, iid);
    if (issue === null || !mayUpdateIssue(by, project, issue)) return;
    await closeIssue(uow, issue, because);
  });
}
