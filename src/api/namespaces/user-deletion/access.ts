import { readUserUntilGone } from '#authentication/users/users.ts';
import { type AccessCall, administratorLate } from '#http/access/access.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

/** Administrators, with the user whom the path names; nobody deletes Hearth's own users. */
export function deletableUser() {
  return administratorLate().resource({
    name: 'user',
    params: { id: required(integer) },
    load: ({ db, params }: AccessCall<{ readonly id: number }>) => readUserUntilGone(db, params.id),
    notFound: () => notFound('User'),
    authorize(_call, { user }) {
      if (user.internal) throw forbidden('An internal user cannot be deleted');
    },
  });
}
