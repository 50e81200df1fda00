import { UserBasic } from '#api/identity/users/index.ts';
import { toProjectSource } from '#domain/members/memberships.ts';
import { forGroupAndProject } from '#http/access/parents.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { eitherEntity } from '#http/endpoint/entity.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, NOT_FOUND, PARENT_NOT_FOUND, USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, mutuallyExclusive, optional, required } from '#http/parameters/declarations.ts';
import { searchExpression, string } from '#http/parameters/texts.ts';
import { boolean, commaSeparated, date, integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { LEAVE_ABILITIES, MANAGE_ABILITIES, removableMember, VIEW_ABILITIES } from './access.ts';
import {
  addMember,
  addMembers,
  MEMBER_UNIQUE_ERRORS,
  removeMember,
  type UserReference,
  updateMember,
} from './changes.ts';
import { AddedMembers, Member } from './entities.ts';
import { findMember, listMembers, listMemberUsers } from './store.ts';

// Groups and projects have the same endpoints (contract/planning.md §3.4).

const memberListParams = {
  query: optional(searchExpression),
  user_ids: optional(commaSeparated(integer)),
  skip_users: optional(commaSeparated(integer)),
  state: optional(oneOf('active', 'awaiting')),
};

export const [listGroupMembers, listProjectMembers] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/members`,
    summary: 'List direct members',
    access: parent.accessWith(VIEW_ABILITIES),
    params: memberListParams,
    response: page(Member),
    read: (db, { parent, params, page }) => listMembers(db, parent, { filter: params, includeInherited: false }, page),
  }),
);

export const [listAllGroupMembers, listAllProjectMembers] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/members/all`,
    summary: 'List direct and inherited members',
    access: parent.accessWith(VIEW_ABILITIES),
    params: memberListParams,
    response: page(Member),
    read: (db, { parent, params, page }) => listMembers(db, parent, { filter: params, includeInherited: true }, page),
  }),
);

export const [getGroupMember, getProjectMember] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/members/:user_id`,
    summary: 'Get a direct member',
    access: parent.accessWith(VIEW_ABILITIES),
    params: { user_id: required(integer) },
    errors: { notFound: NOT_FOUND },
    response: ok(Member),
    read: async (db, { parent, params }) =>
      (await findMember(db, parent, params.user_id, { includeInherited: false })) ?? fail('notFound'),
  }),
);

export const [getAnyGroupMember, getAnyProjectMember] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/members/all/:user_id`,
    summary: 'Get a direct or inherited member',
    access: parent.accessWith(VIEW_ABILITIES),
    params: { user_id: required(integer) },
    errors: { notFound: NOT_FOUND },
    response: ok(Member),
    read: async (db, { parent, params }) =>
      (await findMember(db, parent, params.user_id, { includeInherited: true })) ?? fail('notFound'),
  }),
);

export const [createGroupMember, createProjectMember] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/members`,
    summary: 'Add members',
    access: parent.accessWith(MANAGE_ABILITIES),
    params: {
      access_level: required(integer),
      user_id: optional(commaSeparated(integer)),
      username: optional(commaSeparated(string)),
      expires_at: optional(date),
    },
    rules: [mutuallyExclusive('user_id', 'username'), atLeastOne('user_id', 'username')],
    errors: {
      notFound: PARENT_NOT_FOUND[parent.name],
      unknownUser: USER_NOT_FOUND,
      exists: [409, 'Member already exists'],
      forbidden: FORBIDDEN,
      invalid: INVALID,
    },
    uniqueErrors: MEMBER_UNIQUE_ERRORS,
    activity: parent.select({ group: ['member_created'], project: ['joined Project', 'member_created'] }),
    response: created(eitherEntity(Member, AddedMembers, (row) => 'user' in row)),
    // Several users are added in separate units of work, so that one failure does not affect the others.
    async handle({ parent, caller, params }, { runUnitOfWork, database }) {
      const users = [...(params.user_id ?? []), ...(params.username ?? [])];
      const input = { accessLevel: params.access_level, expiresAt: params.expires_at ?? null };
      const add = (user: UserReference) => runUnitOfWork(caller, (uow) => addMember(uow, parent, user, input));
      const [firstUser, ...otherUsers] = users;
      if (firstUser === undefined) return fail('unknownUser');
      return otherUsers.length === 0 ? add(firstUser) : addMembers(add, parent, users, input, database.reader);
    },
  }),
);

export const [updateGroupMember, updateProjectMember] = forGroupAndProject((parent) =>
  endpoint({
    put: `${parent.path}/members/:user_id`,
    summary: 'Update a direct member',
    access: parent.accessWith(MANAGE_ABILITIES),
    params: { user_id: required(integer), access_level: required(integer), expires_at: optional(date) },
    errors: { notFound: NOT_FOUND, forbidden: FORBIDDEN, invalid: INVALID },
    activity: ['member_updated'],
    response: ok(Member),
    write: (uow, { parent, params }) =>
      updateMember(uow, parent, params.user_id, { accessLevel: params.access_level, expiresAt: params.expires_at }),
  }),
);

export const [deleteGroupMember, deleteProjectMember] = forGroupAndProject((parent) =>
  endpoint({
    delete: `${parent.path}/members/:user_id`,
    summary: 'Remove a direct member',
    access: parent.accessWith(LEAVE_ABILITIES).resource(removableMember),
    params: { skip_subresources: optional(boolean, false), unassign_issuables: optional(boolean, false) },
    lastModified: ({ membership }) => membership.updated_at,
    errors: { notFound: NOT_FOUND, forbidden: FORBIDDEN },
    // Removal from a group also removes memberships of projects below.
    activity: ['left Project', 'member_destroyed'],
    response: noContent,
    write: (uow, { parent, params }) =>
      removeMember(uow, parent, params.user_id, {
        skipSubresources: params.skip_subresources,
        unassign: params.unassign_issuables,
      }),
  }),
);

export const listProjectUsers = endpoint({
  get: '/projects/:id/users',
  summary: 'List users of a project, including inherited members',
  access: inProjectAllowingAnonymous('read_members'),
  params: { search: optional(searchExpression), skip_users: optional(commaSeparated(integer)) },
  response: page(UserBasic),
  read: (db, { project, params, page }) =>
    listMemberUsers(db, toProjectSource(project), { query: params.search, skip_users: params.skip_users }, page),
});
