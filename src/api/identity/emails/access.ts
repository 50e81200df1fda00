import type { SignedInCaller } from '#authentication/caller.ts';
import type { AccessCall } from '#http/access/access.ts';
import { notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { readEmail } from './store.ts';

interface Naming {
  readonly email_id: number;
}

/** An address of the caller. */
export const ownEmailNamed = {
  name: 'email',
  params: { email_id: required(integer) },
  load: ({ db, params }: AccessCall<Naming>, { caller }: { readonly caller: SignedInCaller }) =>
    readEmail(db, caller.user.id, params.email_id),
  notFound: () => notFound('Email'),
} as const;
