import type { AccessCall } from '../../../http/access/access.ts';
import { notFound } from '../../../http/endpoint/refusal.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { readEmail } from './store.ts';

/** An address of the caller. */
export const ownEmailNamed = {
  name: 'email' as const,
  find: ({ db, params }: AccessCall, { caller }: { readonly caller: SignedIn }) =>
    readEmail(db, caller.user.id, params.email_id as number),
  missing: () => notFound('Email'),
};
