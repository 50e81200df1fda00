import { Type } from 'typebox';
import { created, entity, mapPage, nothing, page } from '../../../http/endpoint/answers.ts';
import { endpoint, RECORD_ERRORS } from '../../../http/endpoint/endpoint.ts';
import { atLeastOne, exclusive, optional, required } from '../../../http/parameters/declarations.ts';
import { boolean, commaArray, date, integer, text } from '../../../http/parameters/types.ts';
import { isAdministrator } from '../../../identity/caller.ts';
import { isRefused, refused } from '../../../refused.ts';
import { UserBasic, userBasic } from '../../identity/users/index.ts';
import { addMember, addMembers } from './add.ts';
import { changeMember } from './change.ts';
import { AddedMembers, addedMembers, Member, member, members } from './entities.ts';
import { removeMember } from './remove.ts';
import { directMember, groupKind, projectKind, removableMember, type SourceKind } from './source.ts';
import { findMember, listMembers as list } from './store.ts';

// Groups and projects have the same endpoints (contract/planning.md §3.4): each is declared once, for both kinds.

const filters = {
  query: optional(text),
  user_ids: optional(commaArray(integer)),
  skip_users: optional(commaArray(integer)),
};
const missing = [404, '404 Not found'] as const;
const forbidden = [403, '403 Forbidden'] as const;

const listing = <Path extends string>(kind: SourceKind<Path>, all: boolean) =>
  endpoint({
    get: all ? (`${kind.path}/members/all` as const) : (`${kind.path}/members` as const),
    summary: all ? 'List direct and inherited members' : 'List direct members',
    access: kind.reading(),
    params: filters,
    answer: page(Member),
    async handle({ source, caller, params, db, base, page }) {
      const found = await list(db, source, { filter: params, all, today: base.now.slice(0, 10) }, page);
      return mapPage(found, (rows) => members(rows, base, isAdministrator(caller)));
    },
  });

const reading = <Path extends string>(kind: SourceKind<Path>, all: boolean) =>
  endpoint({
    get: all ? (`${kind.path}/members/all/:user_id` as const) : (`${kind.path}/members/:user_id` as const),
    summary: all ? 'One direct or inherited member' : 'One direct member',
    access: kind.reading(),
    params: { user_id: required(integer) },
    refuses: { missing },
    answer: entity(Member),
    async handle({ source, caller, params, db, base }) {
      const found = await findMember(db, source, params.user_id, { all, today: base.now.slice(0, 10) });
      return found === null ? refused('missing') : member(found, base, isAdministrator(caller));
    },
  });

const adding = <Path extends string>(kind: SourceKind<Path>) =>
  endpoint({
    post: `${kind.path}/members` as const,
    summary: 'Add members',
    access: kind.managing(),
    params: {
      access_level: required(integer),
      user_id: optional(commaArray(integer)),
      username: optional(commaArray(text)),
      expires_at: optional(date),
    },
    rules: [exclusive('user_id', 'username'), atLeastOne('user_id', 'username')],
    refuses: {
      gone: [404, `404 ${kind.name} Not Found`],
      unknownUser: [404, '404 User Not Found'],
      exists: [409, 'Member already exists'],
      forbidden,
      invalid: [400, RECORD_ERRORS],
    },
    records: kind.records.add,
    answer: created(Type.Union([Member, AddedMembers])),
    async handle({ source, caller, params, database, config, facts, base }) {
      const users = [...(params.user_id ?? []), ...(params.username ?? [])];
      const wish = { users, accessLevel: params.access_level, expiresAt: params.expires_at ?? null };
      const rooms = { database, tier: config.tier, facts };
      if (users.length > 1) {
        const failed = await addMembers(rooms, caller, source, wish);
        return isRefused(failed) ? failed : addedMembers(failed);
      }
      const added = await addMember(rooms, caller, source, wish);
      return isRefused(added) ? added : member(added, base, isAdministrator(caller));
    },
  });

const changing = <Path extends string>(kind: SourceKind<Path>) =>
  endpoint({
    put: `${kind.path}/members/:user_id` as const,
    summary: 'Change a direct member',
    access: kind.managing().record(directMember),
    params: { user_id: required(integer), access_level: required(integer), expires_at: optional(date) },
    refuses: { missing, forbidden, invalid: [400, RECORD_ERRORS] },
    records: kind.records.change,
    answer: entity(Member),
    async handle({ source, caller, params, database, config, facts, base }) {
      const { user_id: userId, access_level: accessLevel, expires_at: expiresAt } = params;
      const changed = await changeMember(database, { caller, tier: config.tier, facts }, source, {
        userId,
        accessLevel,
        expiresAt,
      });
      return isRefused(changed) ? changed : member(changed, base, isAdministrator(caller));
    },
  });

const removing = <Path extends string>(kind: SourceKind<Path>) =>
  endpoint({
    delete: `${kind.path}/members/:user_id` as const,
    summary: 'Remove a direct member',
    access: kind.leaving().record(removableMember(kind)),
    params: {
      user_id: required(integer),
      skip_subresources: optional(boolean, false),
      unassign_issuables: optional(boolean, false),
    },
    conditional: ({ membership }) => membership.updated_at,
    refuses: { missing, forbidden },
    records: kind.records.remove,
    answer: nothing,
    async handle({ source, caller, params, database, config, facts }) {
      const { user_id: userId, skip_subresources: skipSubresources, unassign_issuables: unassign } = params;
      const acting = { caller, tier: config.tier, facts };
      const removed = await removeMember(database, acting, source, { userId, skipSubresources, unassign });
      if (isRefused(removed)) return removed;
    },
  });

export const listGroupMembers = listing(groupKind, false);
export const listAllGroupMembers = listing(groupKind, true);
export const readGroupMember = reading(groupKind, false);
export const readAnyGroupMember = reading(groupKind, true);
export const createGroupMember = adding(groupKind);
export const updateGroupMember = changing(groupKind);
export const deleteGroupMember = removing(groupKind);

export const listProjectMembers = listing(projectKind, false);
export const listAllProjectMembers = listing(projectKind, true);
export const readProjectMember = reading(projectKind, false);
export const readAnyProjectMember = reading(projectKind, true);
export const createProjectMember = adding(projectKind);
export const updateProjectMember = changing(projectKind);
export const deleteProjectMember = removing(projectKind);

export const listProjectUsers = endpoint({
  get: '/projects/:id/users',
  summary: 'List the users who are members, inherited ones too',
  access: projectKind.reading(),
  params: { search: optional(text), skip_users: optional(commaArray(integer)) },
  answer: page(UserBasic),
  async handle({ source, params, db, base, page }) {
    const filter = { query: params.search, skip_users: params.skip_users };
    const found = await list(db, source, { filter, all: true, today: base.now.slice(0, 10) }, page);
    return mapPage(found, (rows) =>
      userBasic(
        rows.map(({ user }) => user),
        base,
      ),
    );
  },
});
