import { recordUserEvent } from '#api/identity/users/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { disableAccount, isDeletionScheduled } from '#authentication/users/deletion.ts';
import { findUserUntilDeleted, isOnlyAdministrator } from '#authentication/users/users.ts';
import { listSolelyOwnedGroups } from '#domain/members/memberships.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type AccessCall, administratorAfterParameters } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { noContent } from '#http/endpoint/responses.ts';
import { USER_NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { enqueue } from '#jobs/job.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { destroyUser } from './destroy.ts';

export const deleteUser = endpoint({
  delete: '/users/:id(^\\d+$)',
  summary: 'Delete a user',
  description:
    'Disables the account immediately: sessions and tokens are deleted, and the user is no longer found. A background ' +
    'job deletes the rest, the personal namespace with its projects included. Contributions elsewhere are reassigned ' +
    'to the ghost user, or with `hard_delete` deleted. Repeating the call meanwhile succeeds and changes nothing.',
  access: deletableUserAccess(),
  params: {
    hard_delete: describe(
      optional(boolean, false),
      'Also deletes the contributions of the user, and the groups that no other user owns.',
    ),
  },
  lastModified: ({ user }) => user.updated_at,
  errors: {
    notFound: USER_NOT_FOUND,
    onlyAdministrator: [403, '403 Forbidden - The only administrator cannot be deleted'],
    soleOwner: [409, 'User cannot be removed while is the sole-owner of a group'],
  },
  activity: ['user_destroyed', 'project_destroyed', 'group_destroyed'],
  response: noContent,
  write: (uow, { user, params }) => scheduleUserDeletion(uow, user.id, params.hard_delete),
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

/**
 * Disables an account immediately and enqueues the job that deletes it (contract/conventions.md §10 `DELETE /users/:id`). With
 * `hardDelete`, the job also deletes contributions and groups without another owner. Repeating the call changes nothing.
 */
async function scheduleUserDeletion(
  uow: UnitOfWork<SignedInCaller>,
  userId: number,
  hardDelete: boolean,
): Promise<undefined | Failure<'notFound' | 'onlyAdministrator' | 'soleOwner'>> {
  const user = await findUserUntilDeleted(uow, userId);
  if (user === null) return fail('notFound');
  if (await isDeletionScheduled(uow, userId)) return undefined;
  if (await isOnlyAdministrator(uow, user)) return fail('onlyAdministrator');
  if (!hardDelete && (await listSolelyOwnedGroups(uow, userId)).length > 0) return fail('soleOwner');
  await disableAccount(uow, userId);
  const message = `User ${user.username} scheduled for deletion`;
  await recordUserEvent(uow, user, { name: 'user_destroyed', targetDetails: user.username, message });
  const actor = { actorId: uow.actor.user.id, actorAddress: uow.actor.address };
  await enqueue(uow, destroyUser, { userId, hard: hardDelete, ...actor });
}
