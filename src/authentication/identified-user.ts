import type { CallerUser } from './caller.ts';

/** The columns of the user that identification reads together with the credential. */
export interface IdentifiedUser extends CallerUser {
  readonly password_expires_at: string | null;
  readonly last_activity_on: string | null;
}

export const identifiedUserColumns = [
  'users.id',
  'users.username',
  'users.name',
  'users.email',
  'users.state',
  'users.admin',
  'users.bot',
  'users.external',
  'users.password_expires_at',
  'users.last_activity_on',
] as const;
