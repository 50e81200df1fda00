import { nothing } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { boolean, integer } from '../../../http/parameters/types.ts';
import { deletableUser } from './access.ts';
import { deleteUser as remove } from './delete.ts';

export const deleteUser = endpoint({
  delete: '/users/:id(^\\d+$)',
  summary: 'Delete a user: the account ends at once, what is left of it goes soon after',
  access: deletableUser(),
  params: { id: required(integer), hard_delete: optional(boolean, false) },
  conditional: ({ user }) => user.updated_at,
  refuses: {
    notFound: [404, '404 User Not Found'],
    lastAdministrator: [403, '403 Forbidden - The only administrator cannot be deleted'],
    soleOwner: [409, 'User cannot be removed while is the sole-owner of a group'],
  },
  records: ['user_destroyed', 'project_destroyed', 'group_destroyed'],
  answer: nothing,
  handle: ({ user, params, caller, database }) =>
    remove(database, { userId: user.id, hard: params.hard_delete ?? false, caller }),
});
