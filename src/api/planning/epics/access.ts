import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { type GroupAbilityName, mayInGroup } from '#authorization/abilities.ts';
import { type Epic, findEpic, mayReadEpic } from '#authorization/epics.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { type Access, type AccessCall, access, requireSignedIn, signedInCaller } from '#http/access/access.ts';
import { groupOf } from '#http/access/project-access.ts';
import { refuseOnFree } from '#http/access/tiers.ts';
import { forbidden, nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import type { Incoming } from '#http/request/incoming.ts';

/** Who may read and change epics (contract/planning.md §0 "Order of checks"): the group and the tier come before parameters. */

/** The groups that were found first, until they are asked for. */
const FOUND = new WeakMap<Incoming, Group>();

async function place(call: AccessCall): Promise<void> {
  const group = await groupOf(call);
  refuseOnFree(call);
  FOUND.set(call.request, group);
}

/** Whoever comes to the door again finds the group as it is then. */
async function foundGroup(call: AccessCall): Promise<Group> {
  const group = FOUND.get(call.request);
  FOUND.delete(call.request);
  return group ?? groupOf(call);
}

interface InGroup<By extends Caller> {
  readonly group: Group;
  readonly caller: By;
}

/** Signed-in callers with this ability in the group `:id`. */
export function inEpicsOf(ability: GroupAbilityName): Access<InGroup<SignedInCaller>> {
  return access({
    audience: 'user',
    label: `group:${ability}`,
    authenticate: requireSignedIn,
    loadParent: place,
    load: async (call) => ({ group: await foundGroup(call), caller: signedInCaller(call.caller) }),
    authorize: (call, { group }) => allow(call, ability, group),
  });
}

/** Anybody with this ability, the public where the group is open to it. */
export function inPublicEpicsOf(ability: GroupAbilityName): Access<InGroup<Caller>> {
  return access({
    audience: 'open',
    label: `group:${ability} (public)`,
    authenticate: () => {},
    loadParent: place,
    load: async (call) => ({ group: await foundGroup(call), caller: call.caller }),
    authorize: (call, { group }) => allow(call, ability, group),
  });
}

function allow({ caller }: AccessCall, ability: GroupAbilityName, group: Group): void {
  if (!mayInGroup(caller, ability, group)) throw forbidden();
}

/** The epic of `:epic_iid` in the group itself, for who may read it and has this ability; others are refused, with 403 unless in other words. */
export const epicFor = (ability: GroupAbilityName, refused: () => unknown = forbidden) =>
  ({
    name: 'epic',
    params: { epic_iid: required(integer) },
    load: ({ db, params }: AccessCall<{ readonly epic_iid: number }>, { group }: { readonly group: Group }) =>
      findEpic(db, group.id, params.epic_iid),
    notFound: nestedNotFound,
    authorize({ caller }: AccessCall, { group, epic }: { readonly group: Group; readonly epic: Epic }) {
      if (!mayReadEpic(caller, group, epic) || !mayInGroup(caller, ability, group)) throw refused();
    },
  }) as const;

/** Whoever reads it, the public where it is open. */
export const readingEpic = () => inPublicEpicsOf('read_epic').resource(epicFor('read_epic'));

/** Signed-in callers who read it and have this ability. */
export const usingEpic = (ability: GroupAbilityName) =>
  inEpicsOf('read_epic')
    .resource(epicFor(ability))
    .require(() => {}, `group:${ability}`);
