import type { QuickActionKind } from '#api/planning/quick-actions/index.ts';
import { findMergeRequests } from '#authorization/merge-requests.ts';
import type { ProjectIssuable } from '#http/access/noteables.ts';
import { requireRow } from '#runtime/failure.ts';
import { runMergeRequestUpdate } from '../update.ts';
import { loadMergeRequestSubject } from './subject.ts';

/** Quick actions in comments on merge requests. */
export const mergeRequestQuickActions: QuickActionKind<ProjectIssuable> = {
  async runUnitOfWork(services, caller, { id, project }, { targetBranch, ...options }, work) {
    const [currentMergeRequest] = await findMergeRequests(services.database.forRequest().reader, caller, [id]);
    const mergeRequest = requireRow(currentMergeRequest);
    const input = targetBranch === undefined ? {} : { target_branch: targetBranch };
    return runMergeRequestUpdate(
      services,
      { caller, project, mergeRequest },
      { ...options, input },
      (uow, _access, change) => work(uow, change),
    );
  },
  async loadSubject(uow, caller, { id, project }) {
    const [mergeRequest] = await findMergeRequests(uow, caller, [id]);
    return mergeRequest === undefined ? null : loadMergeRequestSubject(uow, { caller, project }, mergeRequest);
  },
};
