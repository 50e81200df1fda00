import { AccessRevoked, reloadGroupAccess } from '#authorization/current-access.ts';
import { type Epic, type EpicInGroup, findDescendantEpic, findEpics, mayReadEpic } from '#authorization/epics.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { AccessCall } from '#http/access/access.ts';
import type { GroupIssuable, IssuableKind } from '#http/access/noteables.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { epicGroupAccess, epicResource, signedInEpicGroupAccess } from './access.ts';

/** Resource: the epic with the id `:epic_id` in the group or its descendants. Responds with 404 if the caller may not read the epic. */
const readableEpicResource = {
  name: 'epicInGroup',
  params: { epic_id: required(integer) },
  async load(
    { db, caller, params }: AccessCall<{ readonly epic_id: number }>,
    { group }: { readonly group: Group },
  ): Promise<EpicInGroup | null> {
    const epicInGroup = await findDescendantEpic(db, caller, group, params.epic_id);
    return epicInGroup !== null && mayReadEpic(caller, epicInGroup.group, epicInGroup.epic) ? epicInGroup : null;
  },
  notFound: genericNotFound,
} as const;

/** Epics as noteables. They are addressed by id, also through ancestors of their group. */
export const epicNoteable: IssuableKind<GroupIssuable> = {
  type: 'Epic',
  nounWithArticle: 'an epic',
  path: '/groups/:id/epics/:epic_id',
  parentType: 'group',
  readAccess: () =>
    signedInEpicGroupAccess('read_epic')
      .resource(readableEpicResource)
      .map(({ epicInGroup: { group, epic }, caller }) => ({ noteable: toNoteable(group, epic), caller })),
  iidPath: '/groups/:id/epics/:epic_iid',
  accessByIid: (audience, createUnreadableError) =>
    (audience === 'anybody' ? epicGroupAccess('read_epic') : signedInEpicGroupAccess('read_epic'))
      .resource(epicResource('read_epic', createUnreadableError))
      .map(({ group, epic, caller }) => ({ noteable: toNoteable(group, epic), caller })),
  async reload(tx, previousCaller, { id, group: { id: groupId } }) {
    const { caller, group } = await reloadGroupAccess(tx, previousCaller, groupId);
    const [epic] = await findEpics(tx, [id]);
    if (epic === undefined || !mayReadEpic(caller, group, epic)) throw new AccessRevoked();
    return { noteable: toNoteable(group, epic), caller };
  },
};

function toNoteable(group: Group, { id, iid, author_id }: Epic): GroupIssuable {
  return { type: 'Epic', id, iid, authorId: author_id, group, locked: false };
}
