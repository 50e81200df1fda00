import type { SignedInCaller } from '#authentication/caller.ts';
import { findUserById, type User } from '#authentication/users/users.ts';
import { notFound } from '../errors/http-error.ts';
import { type Parameter, required } from '../parameters/declarations.ts';
import { integer } from '../parameters/types.ts';
import { type Access, type AccessCall, administrator } from './access.ts';

/** Allows administrators and loads the user in this path parameter; answers `404 User Not Found` for a missing one. */
export function administratorWithUser<Name extends 'id' | 'user_id'>(
  parameter: Name,
): Access<{ caller: SignedInCaller; user: User }, { [K in Name]: Parameter<number, 'required'> }> {
  return administrator().resource({
    name: 'user',
    params: { [parameter]: required(integer) } as { [K in Name]: Parameter<number, 'required'> },
    load: ({ db, params }: AccessCall<Readonly<Record<string, unknown>>>) =>
      findUserById(db, params[parameter] as number),
    notFound: () => notFound('User'),
  });
}
