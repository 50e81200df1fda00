import { findUserUntilDeleted } from '#authentication/users/users.ts';
import { type AccessCall, administratorAfterParameters } from '#http/access/access.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

/** Admits administrators, and loads the user that the path names. Internal users cannot be deleted. */
export function deletableUserAccess() {
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
