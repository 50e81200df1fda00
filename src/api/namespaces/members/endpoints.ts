import { UserBasic } from '#api/identity/users/index.ts';
import { toProjectSource } from '#domain/members/memberships.ts';
import { forGroupAndProject } from '#http/access/parents.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { eitherEntity } from '#http/endpoint/entity.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, NOT_FOUND, PARENT_NOT_FOUND, USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, describe, mutuallyExclusive, optional, required } from '#http/parameters/declarations.ts';
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

const skipUsers = describe(optional(commaSeparated(integer)), 'Ids of users who are not listed.');

const memberListParams = {
  query: describe(optional(searchExpression), 'Part of the name or username, ignoring case.'),
  user_ids: describe(optional(commaSeparated(integer)), 'Only members with these user ids.'),
  skip_users: skipUsers,
  state: describe(
    optional(oneOf('active', 'awaiting')),
    'All memberships are `active`, so `awaiting` returns an empty list.',
  ),
};

const accessLevel = describe(
  required(integer),
  'Role: 10 Guest, 15 Planner, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner.',
);

export const [listGroupMembers, listProjectMembers] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/members`,
    summary: 'List direct members',
    description:
      'Returns the members with a membership of exactly this group or project, ordered by user id. Memberships that ' +
      'have expired are listed until the daily cleanup removes them. Administrators also see the email addresses.',
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
    description:
      'Returns the members of this group or project and of all groups above it, ordered by user id. Each user is ' +
      'listed once, with the highest role.',
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
    description:
      'Returns the membership of a user in exactly this group or project. Users whose membership is inherited get ' +
      '404.',
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
    description:
      'Returns the membership with the highest role that the user has in this group or project, or in a group above ' +
      'it.',
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
    description:
      'Adds one or several existing users, named by `user_id` or `username`. A single user is returned as a member. ' +
      'Several users are added one by one; the response has the status `success`, or `error` with a reason for each ' +
      'user who was not added. Nobody can grant a role above their own or below the role that the user inherits.',
    access: parent.accessWith(MANAGE_ABILITIES),
    params: {
      access_level: accessLevel,
      user_id: describe(optional(commaSeparated(integer)), 'Ids of the users.'),
      username: describe(optional(commaSeparated(string)), 'Usernames, ignoring case.'),
      expires_at: describe(optional(date), 'Day on which the membership ends; absent: it does not end.'),
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
    description:
      'Changes the role, and the expiry date if it is sent. Inherited memberships, members with a role above that of ' +
      'the caller, and bots of tokens cannot be changed. The last Owner of a top-level group keeps that role.',
    access: parent.accessWith(MANAGE_ABILITIES),
    params: {
      user_id: required(integer),
      access_level: accessLevel,
      expires_at: describe(
        optional(date),
        'Day on which the membership ends; null removes the date, absent keeps the present one.',
      ),
    },
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
    description:
      'Ends the membership; members may also remove themselves. In a group, the user loses the memberships of ' +
      'everything below it too, unless `skip_subresources` is set. To-do items without access, notification settings ' +
      'and personal permissions in protected branches and environments are deleted. The last Owner of a top-level ' +
      'group cannot be removed.',
    access: parent.accessWith(LEAVE_ABILITIES).resource(removableMember),
    params: {
      skip_subresources: describe(
        optional(boolean, false),
        'Keeps the memberships of the user in groups and projects below the group.',
      ),
      unassign_issuables: describe(
        optional(boolean, false),
        'Also removes the user as assignee of issues and merge requests.',
      ),
    },
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
  description:
    'Returns the users who are direct or inherited members of the project, ordered by id, without their roles. ' +
    'Anonymous callers can list the users of public projects.',
  access: inProjectAllowingAnonymous('read_members'),
  params: { search: describe(optional(searchExpression), 'Part of the name or username.'), skip_users: skipUsers },
  response: page(UserBasic),
  read: (db, { project, params, page }) =>
    listMemberUsers(db, toProjectSource(project), { query: params.search, skip_users: params.skip_users }, page),
});
