import type { CommandedKind } from '#api/planning/quick-actions/index.ts';
import { findEpics } from '#authorization/epics.ts';
import type { ThingOfGroup } from '#http/access/noteables.ts';
import { turnOf } from '#http/access/parents.ts';
import { changeEpic } from '../update.ts';
import { epicSubject } from './subject.ts';

/** Epics, as comments command them. */
export const commandedEpics: CommandedKind<ThingOfGroup> = {
  acting: ({ acting }, caller, { group, iid }, { turn }, work) =>
    acting(caller, (act) => work(act, (wish) => changeEpic(act, group, iid, wish)), {
      turn: [turnOf('epics', group), ...turn],
    }),
  async subject(act, _caller, { id, group }) {
    const [epic] = await findEpics(act, [id]);
    return epic === undefined ? null : epicSubject(act, group, epic);
  },
};
