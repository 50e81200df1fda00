import { findEpics } from '../../../access/epics.ts';
import { turnOf } from '../../../http/access/parents.ts';
import type { ThingOfGroup } from '../../../http/access/things.ts';
import type { CommandedKind } from '../quick-actions/index.ts';
import { changeEpic } from './change.ts';
import { epicSubject } from './commands.ts';

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
