import type { SignedInCaller } from '#authentication/caller.ts';
import { isConfirmedAddress, isValidAddress, normalizeAddress } from '#authentication/users/emails.ts';
import { foldCase } from '#database/name-keys.ts';
import { type EmailEvent, NOTIFICATION_LEVELS, type NotificationLevel, type SourceType } from '#database/schema.ts';
import { type MemberSource, sourceExists } from '#domain/members/memberships.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid } from '#runtime/failure.ts';
import {
  type GlobalSetting,
  getGlobalSetting,
  getSetting,
  listAvailableEvents,
  type UserNotificationSetting,
  updateSetting,
} from './store.ts';

/** The fields to update. Absent fields are kept; null resets an event to its default. */
type UpdateNotificationSettingInput = {
  readonly level?: string | null | undefined;
  readonly notification_email?: string | null | undefined;
} & { readonly [Event in EmailEvent]?: boolean | null | undefined };

type LevelFailure = Failure<'levelUnknown' | 'invalid'>;

/** Updates the caller's global setting and notification address, all fields or none. */
export async function updateGlobalSetting(
  uow: UnitOfWork<SignedInCaller>,
  input: UpdateNotificationSettingInput,
): Promise<GlobalSetting | LevelFailure> {
  const { id, email } = uow.actor.user;
  if (isUnknownLevel(input.level)) return fail('levelUnknown', { level: input.level });
  const address = input.notification_email == null ? null : normalizeAddress(input.notification_email);
  const errors = compactFieldErrors({
    ...validateLevel(input),
    notification_email: address === null ? [] : await validateAddress(uow, id, address),
  });
  if (errors !== null) return invalid(errors);
  // The primary address is not stored, so that mails follow its later changes.
  const isPrimaryAddress = address !== null && foldCase(address) === foldCase(email);
  if (address !== null) await setNotificationEmail(uow, id, isPrimaryAddress ? '' : address);
  await updateSetting(uow, id, 'everything', toSettingChanges(uow, 'everything', input));
  return getGlobalSetting(uow, id);
}

/** Updates the caller's setting for a group or project. */
export async function updateSourceSetting(
  uow: UnitOfWork<SignedInCaller>,
  source: MemberSource,
  input: UpdateNotificationSettingInput,
): Promise<UserNotificationSetting | LevelFailure | Failure<'notFound'>> {
  if (isUnknownLevel(input.level)) return fail('levelUnknown', { level: input.level });
  const errors = compactFieldErrors(validateLevel(input));
  if (errors !== null) return invalid(errors);
  if (!(await sourceExists(uow, source))) return fail('notFound');
  await updateSetting(uow, uow.actor.user.id, source, toSettingChanges(uow, source.type, input));
  return getSetting(uow, uow.actor.user.id, source);
}

const isLevel = (level: string): level is NotificationLevel =>
  NOTIFICATION_LEVELS.some((knownLevel) => knownLevel === level);
/** Returns whether the level does not exist. A blank level is not unknown: `validateLevel` rejects it. */
const isUnknownLevel = (level: string | null | undefined) => Boolean(level) && !isLevel(level as string);

function validateLevel({ level }: UpdateNotificationSettingInput): FieldErrors {
  return { level: level === null || level === '' ? ["can't be blank"] : [] };
}

/** Returns the validated level and the events that this source has on this tier. Other events are ignored. */
function toSettingChanges(
  { tier }: UnitOfWork,
  source: SourceType | 'everything',
  input: UpdateNotificationSettingInput,
): Partial<UserNotificationSetting> {
  const events = listAvailableEvents(source, tier).filter((event) => input[event] !== undefined);
  return {
    ...(input.level === undefined ? {} : { level: input.level as NotificationLevel }),
    ...Object.fromEntries(events.map((event) => [event, input[event] ?? null])),
  };
}

/** Returns the validation errors of an address. A blank address is valid: it means the primary address. */
async function validateAddress(uow: UnitOfWork, userId: number, address: string): Promise<string[]> {
  if (address === '') return [];
  const unverified = 'must be an email you have verified';
  if (!isValidAddress(address)) return ['is invalid', unverified];
  return (await isConfirmedAddress(uow, userId, address)) ? [] : [unverified];
}

/** Stores the notification address of the user; '' means the primary address. */
async function setNotificationEmail(uow: UnitOfWork, userId: number, address: string): Promise<void> {
  await uow
    .updateTable('users')
    .set({ notification_email: address || null, updated_at: uow.now })
    .where('id', '=', userId)
    .execute();
}
