import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup } from '#authorization/abilities.ts';
import type { Epic } from '#authorization/epics.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { EPICS, loadLabels } from '../issuables/index.ts';
import { NEW_SUBJECT_STATE, type QuickActionSubject } from '../quick-actions/index.ts';

/** Returns the epic as a subject of quick actions. */
export async function loadEpicSubject(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  epic: Epic,
): Promise<QuickActionSubject> {
  const labels = await loadLabels(uow, EPICS, [epic.id]);
  const { state, title, confidential } = epic;
  return {
    ...toGroupSubject(uow, group),
    noteable: epic,
    currentState: { ...NEW_SUBJECT_STATE, state, title, confidential, labels },
  };
}

/** Returns the subject for an epic that is being created. */
export function newEpicSubject(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  title: string,
  confidential: boolean,
): QuickActionSubject {
  return { ...toGroupSubject(uow, group), noteable: null, currentState: { ...NEW_SUBJECT_STATE, title, confidential } };
}

function toGroupSubject(uow: UnitOfWork<SignedInCaller>, group: Group) {
  const mayAdminister = mayInGroup(uow.actor, 'admin_epic', group);
  return {
    type: 'Epic',
    parent: { group },
    mayUpdate: mayAdminister,
    mayManage: mayAdminister,
    mayTrackTime: false,
    mayLink: false,
    filterReaders: async () => [],
  } as const;
}
