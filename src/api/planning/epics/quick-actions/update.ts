import type { QuickActionKind } from '#api/planning/quick-actions/index.ts';
import { findEpics } from '#authorization/epics.ts';
import type { GroupIssuable } from '#http/access/noteables.ts';
import { hierarchyLockKey } from '#http/access/parents.ts';
import { updateEpicWithQuickActions } from '../changes.ts';
import { loadEpicSubject } from './subject.ts';

/** Quick actions in comments on epics. */
export const epicQuickActions: QuickActionKind<GroupIssuable> = {
  runUnitOfWork: ({ runUnitOfWork }, caller, { group, iid }, { lock }, work) =>
    runUnitOfWork(caller, (uow) => work(uow, (input) => updateEpicWithQuickActions(uow, group, iid, input)), {
      lock: [hierarchyLockKey('epics', group), ...lock],
    }),
  async loadSubject(uow, _caller, { id, group }) {
    const [epic] = await findEpics(uow, [id]);
    return epic === undefined ? null : loadEpicSubject(uow, group, epic);
  },
};
