import { checkPassword } from '#authentication/sessions/password-sign-in.ts';
import type { User } from '#authentication/users/users.ts';
import type { SessionCaller } from '#http/access/session-access.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { limitFailedSignIns } from '#rate-limits/failed-sign-ins.ts';
import { type Failure, invalid, isFailure } from '#runtime/failure.ts';
import { prepareNewPassword, toPasswordCheckServices, updateUser } from '../users/index.ts';

type PasswordServices = Pick<Services, 'database' | 'clock' | 'config' | 'log' | 'runUnitOfWork'>;

interface PasswordChange {
  readonly current_password: string;
  readonly password: string;
}

type ChangeResult = User | Failure<'tooMany'> | Awaited<ReturnType<typeof updateUser>>;

/**
 * Replaces the password of the caller and ends all other sessions. The current password is checked as by a sign-in, so that who
 * uses somebody else's browser cannot try passwords without limit.
 */
export async function changePassword(
  services: PasswordServices,
  request: IncomingRequest,
  caller: SessionCaller,
  { current_password: currentPassword, password }: PasswordChange,
): Promise<ChangeResult> {
  const { database, runUnitOfWork } = services;
  const { id, username } = caller.user;
  const passwordServices = toPasswordCheckServices(services, request.clientAddress);
  const check = await limitFailedSignIns(services, request, (waiter) =>
    checkPassword(passwordServices, { login: username, password: currentPassword }, waiter),
  );
  if (isFailure(check)) return check.code === 'tooMany' ? check : invalid({ current_password: ['is invalid'] });
  const input = { password, keptSession: caller.sessionDigest, resetPrivateProfile: false };
  const newPassword = await prepareNewPassword(database.reader, id, input);
  return runUnitOfWork(caller, (uow) => updateUser(uow, id, input, newPassword));
}
