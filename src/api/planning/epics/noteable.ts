import { AccessRevoked, standingInGroupOf } from '#authorization/current-access.ts';
import { type Epic, type EpicInGroup, findEpicBelow, findEpics, mayReadEpic } from '#authorization/epics.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { AccessCall } from '#http/access/access.ts';
import type { ThingKind, ThingOfGroup } from '#http/access/noteables.ts';
import { nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { epicFor, inEpicsOf, inPublicEpicsOf } from './access.ts';

/** The epic of the id `:epic_id`, in the group or below it, for who may read it; to all others it is not there. */
const readableEpic = {
  name: 'found',
  params: { epic_id: required(integer) },
  async load(
    { db, caller, params }: AccessCall<{ readonly epic_id: number }>,
    { group }: { readonly group: Group },
  ): Promise<EpicInGroup | null> {
    const found = await findEpicBelow(db, caller, group, params.epic_id);
    return found !== null && mayReadEpic(caller, found.group, found.epic) ? found : null;
  },
  notFound: nestedNotFound,
} as const;

/** Epics, as what hangs on them sees them: named by their ids, also through groups above their own. */
export const epicThing: ThingKind<ThingOfGroup> = {
  type: 'Epic',
  aThing: 'an epic',
  path: '/groups/:id/epics/:epic_id',
  place: 'group',
  reading: () =>
    inEpicsOf('read_epic')
      .resource(readableEpic)
      .map(({ found: { group, epic }, caller }) => ({ thing: asThing(group, epic), caller })),
  numberedPath: '/groups/:id/epics/:epic_iid',
  numbered: (callers, unreadable) =>
    (callers === 'anybody' ? inPublicEpicsOf('read_epic') : inEpicsOf('read_epic'))
      .resource(epicFor('read_epic', unreadable))
      .map(({ group, epic, caller }) => ({ thing: asThing(group, epic), caller })),
  async again(tx, asking, { id, group: { id: groupId } }) {
    const { caller, group } = await standingInGroupOf(tx, asking, groupId);
    const [epic] = await findEpics(tx, [id]);
    if (epic === undefined || !mayReadEpic(caller, group, epic)) throw new AccessRevoked();
    return { thing: asThing(group, epic), caller };
  },
};

function asThing(group: Group, { id, iid, author_id }: Epic): ThingOfGroup {
  return { type: 'Epic', id, iid, authorId: author_id, group, locked: false };
}
