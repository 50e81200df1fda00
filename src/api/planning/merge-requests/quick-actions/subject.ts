import {
  loadAssignees,
  loadLabels,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_REVIEWER,
} from '#api/planning/issuables/index.ts';
import { NEW_SUBJECT_STATE, type QuickActionSubject } from '#api/planning/quick-actions/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { CurrentAccess } from '#authorization/current-access.ts';
import { filterMergeRequestReaders, type MergeRequest, mayUpdateMergeRequest } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { createMergeRequestOperations } from './operations.ts';

// Merge requests as subjects of quick actions.

/** Loads the subject for an existing merge request. */
export async function loadMergeRequestSubject(
  uow: UnitOfWork<SignedInCaller>,
  { caller, project }: Pick<CurrentAccess, 'caller' | 'project'>,
  mergeRequest: MergeRequest,
): Promise<QuickActionSubject> {
  const mayUpdate = mayUpdateMergeRequest(caller, project, mergeRequest);
  const loadUserIds = async (kind: typeof MERGE_REQUESTS_BY_REVIEWER) =>
    (await loadAssignees(uow, kind, [mergeRequest.id])).map(({ user_id }) => user_id);
  return {
    ...createBaseSubject(uow, project),
    noteable: mergeRequest,
    mergeRequest: createMergeRequestOperations(uow, { caller, project }, mergeRequest),
    mayUpdate,
    mayTrackTime: mayUpdate,
    currentState: {
      ...NEW_SUBJECT_STATE,
      ...mergeRequest,
      labels: await loadLabels(uow, MERGE_REQUESTS, [mergeRequest.id]),
      assignees: await loadUserIds(MERGE_REQUESTS),
      reviewers: await loadUserIds(MERGE_REQUESTS_BY_REVIEWER),
    },
  };
}

/** Returns the subject for a merge request that is being created. */
export function newMergeRequestSubject(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  title: string,
): QuickActionSubject {
  return {
    ...createBaseSubject(uow, project),
    noteable: null,
    mayUpdate: true,
    mayTrackTime: true,
    currentState: { ...NEW_SUBJECT_STATE, title },
  };
}

/** Returns the properties of existing and new subjects. */
function createBaseSubject(uow: UnitOfWork<SignedInCaller>, project: Project) {
  return {
    type: 'MergeRequest',
    parent: { project },
    mayLink: false,
    mayManage: mayInProject(uow.actor, 'update_merge_request', project),
    filterReaders: (ids: readonly number[]) => filterMergeRequestReaders(uow, project, ids),
  } as const;
}
