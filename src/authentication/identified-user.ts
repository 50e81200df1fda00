import type { Columns } from '#database/database.ts';
import type { CallerUser } from './caller.ts';

/** The columns of the user that identification reads together with the credential. */
export interface IdentifiedUser extends CallerUser, Columns<'users', 'password_expires_at' | 'last_activity_on'> {}

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
