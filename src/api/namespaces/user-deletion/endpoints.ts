import { endpoint } from '#http/endpoint/endpoint.ts';
import { noContent } from '#http/endpoint/responses.ts';
import { USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { deletableUserAccess } from './access.ts';
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
