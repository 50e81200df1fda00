import type { SignedInCaller } from '#authentication/caller.ts';
import type { AccessCall } from '#http/access/access.ts';
import { notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { findEmail } from './store.ts';

interface EmailParameters {
  readonly email_id: number;
}

/** Resource: the email address `:email_id` of the caller. */
export const ownEmailResource = {
  name: 'email',
  params: { email_id: required(integer) },
  load: ({ db, params }: AccessCall<EmailParameters>, { caller }: { readonly caller: SignedInCaller }) =>
    findEmail(db, caller.user.id, params.email_id),
  notFound: () => notFound('Email'),
} as const;
