import { UserBasic } from '#api/identity/users/index.ts';
import { projectSource } from '#domain/members/memberships.ts';
import { forBoth } from '#http/access/parents.ts';
import { inPublicProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { eitherEntity } from '#http/endpoint/entity.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, GONE, INVALID, NOT_FOUND, USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, exclusive, optional, required } from '#http/parameters/declarations.ts';
import { expression, string } from '#http/parameters/texts.ts';
import { boolean, commaArray, date, integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { LEAVING, MANAGING, removableMember, SEEING } from './access.ts';
import { addMember, addMembers, type Named, TAKEN } from './add.ts';
import { AddedMembers, Member } from './entities.ts';
import { removeMember } from './remove.ts';
import { findMember, listMembers, listMemberUsers } from './store.ts';
import { changeMember } from './update.ts';

// Groups and projects have the same endpoints (contract/planning.md §3.4).

const filters = {
  query: optional(expression),
  user_ids: optional(commaArray(integer)),
  skip_users: optional(commaArray(integer)),
  state: optional(oneOf('active', 'awaiting')),
};

export const [listGroupMembers, listProjectMembers] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/members`,
    summary: 'List direct members',
    access: parent.may(SEEING),
    params: filters,
    response: page(Member),
    read: (db, { parent, params, page }) => listMembers(db, parent, { filter: params, inherited: false }, page),
  }),
);

export const [listAllGroupMembers, listAllProjectMembers] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/members/all`,
    summary: 'List direct and inherited members',
    access: parent.may(SEEING),
    params: filters,
    response: page(Member),
    read: (db, { parent, params, page }) => listMembers(db, parent, { filter: params, inherited: true }, page),
  }),
);

export const [readGroupMember, readProjectMember] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/members/:user_id`,
    summary: 'One direct member',
    access: parent.may(SEEING),
    params: { user_id: required(integer) },
    errors: { notFound: NOT_FOUND },
    response: ok(Member),
    read: async (db, { parent, params }) =>
      (await findMember(db, parent, params.user_id, { inherited: false })) ?? fail('notFound'),
  }),
);

export const [readAnyGroupMember, readAnyProjectMember] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/members/all/:user_id`,
    summary: 'One direct or inherited member',
    access: parent.may(SEEING),
    params: { user_id: required(integer) },
    errors: { notFound: NOT_FOUND },
    response: ok(Member),
    read: async (db, { parent, params }) =>
      (await findMember(db, parent, params.user_id, { inherited: true })) ?? fail('notFound'),
  }),
);

export const [createGroupMember, createProjectMember] = forBoth((parent) =>
  endpoint({
    post: `${parent.path}/members`,
    summary: 'Add members',
    access: parent.may(MANAGING),
    params: {
      access_level: required(integer),
      user_id: optional(commaArray(integer)),
      username: optional(commaArray(string)),
      expires_at: optional(date),
    },
    rules: [exclusive('user_id', 'username'), atLeastOne('user_id', 'username')],
    errors: {
      gone: GONE[parent.name],
      unknownUser: USER_NOT_FOUND,
      exists: [409, 'Member already exists'],
      forbidden: FORBIDDEN,
      invalid: INVALID,
    },
    uniqueErrors: TAKEN,
    activity: parent.own({ group: ['member_created'], project: ['joined Project', 'member_created'] }),
    response: created(eitherEntity(Member, AddedMembers, (row) => 'user' in row)),
    // Not one act: of several users each is added by himself, so that nobody's refusal is another's.
    async handle({ parent, caller, params }, { runUnitOfWork, database }) {
      const users = [...(params.user_id ?? []), ...(params.username ?? [])];
      const wish = { accessLevel: params.access_level, expiresAt: params.expires_at ?? null };
      const add = (named: Named) => runUnitOfWork(caller, (uow) => addMember(uow, parent, named, wish));
      const [first, ...others] = users;
      if (first === undefined) return fail('unknownUser');
      return others.length === 0 ? add(first) : addMembers(add, parent, users, wish, database.reader);
    },
  }),
);

export const [updateGroupMember, updateProjectMember] = forBoth((parent) =>
  endpoint({
    put: `${parent.path}/members/:user_id`,
    summary: 'Change a direct member',
    access: parent.may(MANAGING),
    params: { user_id: required(integer), access_level: required(integer), expires_at: optional(date) },
    errors: { notFound: NOT_FOUND, forbidden: FORBIDDEN, invalid: INVALID },
    activity: ['member_updated'],
    response: ok(Member),
    write: (uow, { parent, params }) =>
      changeMember(uow, parent, params.user_id, { accessLevel: params.access_level, expiresAt: params.expires_at }),
  }),
);

export const [deleteGroupMember, deleteProjectMember] = forBoth((parent) =>
  endpoint({
    delete: `${parent.path}/members/:user_id`,
    summary: 'Remove a direct member',
    access: parent.may(LEAVING).resource(removableMember),
    params: { skip_subresources: optional(boolean, false), unassign_issuables: optional(boolean, false) },
    lastModified: ({ membership }) => membership.updated_at,
    errors: { notFound: NOT_FOUND, forbidden: FORBIDDEN },
    // A member of projects below leaves them, too.
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
  summary: 'List the users who are members, inherited ones too',
  access: inPublicProject('read_members'),
  params: { search: optional(expression), skip_users: optional(commaArray(integer)) },
  response: page(UserBasic),
  read: (db, { project, params, page }) =>
    listMemberUsers(db, projectSource(project), { query: params.search, skip_users: params.skip_users }, page),
});
