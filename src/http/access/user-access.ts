import type { SignedInCaller } from '#authentication/caller.ts';
import { readUser, type User } from '#authentication/users/users.ts';
import { notFound } from '../errors/http-error.ts';
import { type Parameter, required } from '../parameters/declarations.ts';
import { integer } from '../parameters/types.ts';
import { type Access, type AccessCall, administrator } from './access.ts';

/** Administrators, with the user whom the path names by this parameter; 404 `404 User Not Found`. */
export function administeringUser<Name extends 'id' | 'user_id'>(
  parameter: Name,
): Access<{ caller: SignedInCaller; user: User }, { [K in Name]: Parameter<number, 'required'> }> {
  return administrator().resource({
    name: 'user',
    params: { [parameter]: required(integer) } as { [K in Name]: Parameter<number, 'required'> },
    load: ({ db, params }: AccessCall<Readonly<Record<string, unknown>>>) => readUser(db, params[parameter] as number),
    notFound: () => notFound('User'),
  });
}
