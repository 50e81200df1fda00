import { EPICS, labelsOn } from '#api/planning/issuables/index.ts';
import { BEGINNING, type Subject } from '#api/planning/quick-actions/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup } from '#authorization/abilities.ts';
import type { Epic } from '#authorization/epics.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Epics, as quick actions see them. */

export async function epicSubject(uow: UnitOfWork<SignedInCaller>, group: Group, epic: Epic): Promise<Subject> {
  const labels = await labelsOn(uow, EPICS, [epic.id]);
  const { state, title, confidential } = epic;
  return { ...inGroup(uow, group), thing: epic, now: { ...BEGINNING, state, title, confidential, labels } };
}

/** One that is being made. */
export function newEpicSubject(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  title: string,
  confidential: boolean,
): Subject {
  return { ...inGroup(uow, group), thing: null, now: { ...BEGINNING, title, confidential } };
}

function inGroup(uow: UnitOfWork<SignedInCaller>, group: Group) {
  const may = mayInGroup(uow.actor, 'admin_epic', group);
  return {
    type: 'Epic',
    place: { group },
    mayUpdate: may,
    mayManage: may,
    mayTime: false,
    readers: async () => [],
  } as const;
}
