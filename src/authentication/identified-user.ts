import type { CallerUser } from './caller.ts';

/** What identification reads of the user of a credential, in the one read that looks the credential up. */
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
