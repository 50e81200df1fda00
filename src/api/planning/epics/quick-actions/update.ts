import type { CommandedKind } from '#api/planning/quick-actions/index.ts';
import { findEpics } from '#authorization/epics.ts';
import type { ThingOfGroup } from '#http/access/noteables.ts';
import { turnOf } from '#http/access/parents.ts';
import { changeEpic } from '../update.ts';
import { epicSubject } from './subject.ts';

/** Epics, as comments command them. */
export const commandedEpics: CommandedKind<ThingOfGroup> = {
  runUnitOfWork: ({ runUnitOfWork }, caller, { group, iid }, { turn }, work) =>
    runUnitOfWork(caller, (uow) => work(uow, (wish) => changeEpic(uow, group, iid, wish)), {
      turn: [turnOf('epics', group), ...turn],
    }),
  async subject(uow, _caller, { id, group }) {
    const [epic] = await findEpics(uow, [id]);
    return epic === undefined ? null : epicSubject(uow, group, epic);
  },
};
