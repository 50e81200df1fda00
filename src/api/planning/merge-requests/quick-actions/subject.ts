import { assigneesOf, labelsOn, MERGE_REQUESTS, REVIEWED } from '#api/planning/issuables/index.ts';
import { BEGINNING, type Subject } from '#api/planning/quick-actions/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { Standing } from '#authorization/current-access.ts';
import { type MergeRequest, mayUpdateMergeRequest, mergeRequestReadersAmong } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Merge requests, as quick actions see them. */

export async function mergeRequestSubject(
  uow: UnitOfWork<SignedInCaller>,
  { caller, project }: Pick<Standing, 'caller' | 'project'>,
  mergeRequest: MergeRequest,
): Promise<Subject> {
  const mayUpdate = mayUpdateMergeRequest(caller, project, mergeRequest);
  const people = async (kind: typeof REVIEWED) =>
    (await assigneesOf(uow, kind, [mergeRequest.id])).map(({ user_id }) => user_id);
  return {
    ...inProject(uow, project),
    thing: mergeRequest,
    mayUpdate,
    mayTime: mayUpdate,
    now: {
      ...BEGINNING,
      ...mergeRequest,
      labels: await labelsOn(uow, MERGE_REQUESTS, [mergeRequest.id]),
      assignees: await people(MERGE_REQUESTS),
      reviewers: await people(REVIEWED),
    },
  };
}

/** One that is being opened, by somebody who may. */
export function newMergeRequestSubject(uow: UnitOfWork<SignedInCaller>, project: Project, title: string): Subject {
  return { ...inProject(uow, project), thing: null, mayUpdate: true, mayTime: true, now: { ...BEGINNING, title } };
}

function inProject(uow: UnitOfWork<SignedInCaller>, project: Project) {
  return {
    type: 'MergeRequest',
    place: { project },
    mayManage: mayInProject(uow.actor, 'update_merge_request', project),
    readers: (ids: readonly number[]) => mergeRequestReadersAmong(uow, project, ids),
  } as const;
}
