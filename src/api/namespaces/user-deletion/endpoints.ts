import { findUserUntilDeleted } from '#authentication/users/users.ts';
import { type AccessCall, administratorAfterParameters } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { noContent } from '#http/endpoint/responses.ts';
import { USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { scheduleUserDeletion as remove } from './delete.ts';

export const deleteUser = endpoint({
  delete: '/users/:id(^\\d+$)',
  summary: 'Delete a user',
  access: deletableUserAccess(),
  params: { hard_delete: optional(boolean, false) },
  lastModified: ({ user }) => user.updated_at,
  errors: {
    notFound: USER_NOT_FOUND,
    onlyAdministrator: [403, '403 Forbidden - The only administrator cannot be deleted'],
    soleOwner: [409, 'User cannot be removed while is the sole-owner of a group'],
  },
  activity: ['user_destroyed', 'project_destroyed', 'group_destroyed'],
  response: noContent,
  write: (uow, { user, params }) => remove(uow, user.id, params.hard_delete),
});

/** Admits administrators, and loads the user that the path names. Internal users cannot be deleted. */
function deletableUserAccess() {
  return administratorAfterParameters().resource({
    name: 'user',
    params: { id: required(integer) },
    load: ({ db, params }: AccessCall<{ readonly id: number }>) => findUserUntilDeleted(db, params.id),
    notFound: () => notFound('User'),
    authorize(_call, { user }) {
      if (user.internal) throw forbidden('An internal user cannot be deleted');
    },
  });
}
