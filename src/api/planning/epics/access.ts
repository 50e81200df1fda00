import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { type GroupAbilityName, mayInGroup } from '#authorization/abilities.ts';
import { AccessRevoked, reloadGroupAccess } from '#authorization/current-access.ts';
import {
  type Epic,
  type EpicInGroup,
  findDescendantEpic,
  findEpic,
  findEpics,
  mayReadEpic,
} from '#authorization/epics.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import {
  type Access,
  type AccessCall,
  access,
  forbidOnFreeTier,
  requireSignedIn,
  requireSignedInCaller,
} from '#http/access/access.ts';
import type { GroupIssuable, IssuableKind } from '#http/access/noteables.ts';
import { loadVisibleGroup } from '#http/access/project-access.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { describe, required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';

// Access to epics. Group and tier are checked before the parameters (contract/planning.md §0 "Order of checks").

/** The group of each request between `loadParent`, which loads it before the parameters are checked, and `load`. */
const GROUPS_BY_REQUEST = new WeakMap<IncomingRequest, Group>();

async function loadParentGroup(call: AccessCall): Promise<void> {
  const group = await loadVisibleGroup(call);
  forbidOnFreeTier(call);
  GROUPS_BY_REQUEST.set(call.request, group);
}

/**
 * Removes and returns the group that `loadParent` stored for this request. If none is stored, as when access is checked a second
 * time, loads it.
 */
async function takeLoadedGroup(call: AccessCall): Promise<Group> {
  const group = GROUPS_BY_REQUEST.get(call.request);
  GROUPS_BY_REQUEST.delete(call.request);
  return group ?? loadVisibleGroup(call);
}

interface EpicGroupContext<By extends Caller> {
  readonly group: Group;
  readonly caller: By;
}

/** Access for signed-in callers with this ability in the group `:id`. */
export function signedInEpicGroupAccess(ability: GroupAbilityName): Access<EpicGroupContext<SignedInCaller>> {
  return access({
    audience: 'user',
    label: `group:${ability}`,
    authenticate: requireSignedIn,
    loadParent: loadParentGroup,
    load: async (call) => ({ group: await takeLoadedGroup(call), caller: requireSignedInCaller(call.caller) }),
    authorize: (call, { group }) => requireAbility(call, ability, group),
  });
}

/** Access for callers with this ability in the group `:id`, anonymous ones included. */
export function epicGroupAccess(ability: GroupAbilityName): Access<EpicGroupContext<Caller>> {
  return access({
    audience: 'open',
    label: `group:${ability} (public)`,
    authenticate: () => {},
    loadParent: loadParentGroup,
    load: async (call) => ({ group: await takeLoadedGroup(call), caller: call.caller }),
    authorize: (call, { group }) => requireAbility(call, ability, group),
  });
}

function requireAbility({ caller }: AccessCall, ability: GroupAbilityName, group: Group): void {
  if (!mayInGroup(caller, ability, group)) throw forbidden();
}

/**
 * Resource: the epic `:epic_iid` of the group. `createDeniedError` creates the error (default: 403) for callers who may not read the
 * epic or lack the ability.
 */
const epicResource = (ability: GroupAbilityName, createDeniedError: () => unknown = forbidden) =>
  ({
    name: 'epic',
    params: { epic_iid: describe(required(integer), 'The `iid` of the epic in this very group.') },
    load: ({ db, params }: AccessCall<{ readonly epic_iid: number }>, { group }: { readonly group: Group }) =>
      findEpic(db, group.id, params.epic_iid),
    notFound: genericNotFound,
    authorize({ caller }: AccessCall, { group, epic }: { readonly group: Group; readonly epic: Epic }) {
      if (!mayReadEpic(caller, group, epic) || !mayInGroup(caller, ability, group)) throw createDeniedError();
    },
  }) as const;

/** Access for callers who may read the epic, anonymous ones included. */
export const readEpicAccess = () => epicGroupAccess('read_epic').resource(epicResource('read_epic'));

/** Access for signed-in callers who may read the epic and have this ability. */
export const epicAccessWithAbility = (ability: GroupAbilityName) =>
  signedInEpicGroupAccess('read_epic').resource(epicResource(ability)).withLabel(`group:${ability}`);

/** Resource: the epic with the id `:epic_id` in the group or its descendants; 404 if the caller may not read it. */
const readableEpicResource = {
  name: 'epicInGroup',
  params: { epic_id: describe(required(integer), 'Global ID of the epic, not its `iid`.') },
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
