import type { SignedInCaller } from '#authentication/caller.ts';
import { hasAddressForm, isConfirmedAddressOf, keptAddress } from '#authentication/users/emails.ts';
import { foldCase } from '#database/name-keys.ts';
import type { SourceType } from '#database/tables/domain.ts';
import {
  type EmailEvent,
  NOTIFICATION_LEVELS,
  type NotificationLevel,
} from '#database/tables/notification-settings.ts';
import { type MemberSource, stands } from '#domain/members/memberships.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, type FieldErrors, fail, fieldErrors, invalid } from '#runtime/failure.ts';
import { eventsOf } from './event-names.ts';
import { changeSetting, type GlobalSetting, readGlobalSetting, readSetting, type Setting } from './store.ts';

/** What a PUT gives: what is absent stays, an event that is null goes back to its default. */
export type Wish = {
  readonly level?: string | null | undefined;
  readonly notification_email?: string | null | undefined;
} & { readonly [Event in EmailEvent]?: boolean | null | undefined };

type WrongLevel = Failure<'levelUnknown' | 'invalid'>;

/** What the caller is told of everywhere, and where mail goes: all that is given changes, or nothing. */
export async function changeGlobalSetting(
  uow: UnitOfWork<SignedInCaller>,
  wish: Wish,
): Promise<GlobalSetting | WrongLevel> {
  const { id, email } = uow.actor.user;
  if (isUnknown(wish.level)) return fail('levelUnknown', { level: wish.level });
  const address = wish.notification_email == null ? null : keptAddress(wish.notification_email);
  const wrong = fieldErrors({
    ...levelErrors(wish),
    notification_email: address === null ? [] : await addressErrors(uow, id, address),
  });
  if (wrong !== null) return invalid(wrong);
  if (address !== null) await mailTo(uow, id, isSame(address, email) ? '' : address);
  await changeSetting(uow, id, 'everything', changeOf(uow, 'everything', wish));
  return readGlobalSetting(uow, id);
}

/** What the caller is told of a group or project. */
export async function changeSourceSetting(
  uow: UnitOfWork<SignedInCaller>,
  source: MemberSource,
  wish: Wish,
): Promise<Setting | WrongLevel | Failure<'gone'>> {
  if (isUnknown(wish.level)) return fail('levelUnknown', { level: wish.level });
  const wrong = fieldErrors(levelErrors(wish));
  if (wrong !== null) return invalid(wrong);
  if (!(await stands(uow, source))) return fail('gone');
  await changeSetting(uow, uow.actor.user.id, source, changeOf(uow, source.type, wish));
  return readSetting(uow, uow.actor.user.id, source);
}

const isLevel = (level: string): level is NotificationLevel => NOTIFICATION_LEVELS.some((one) => one === level);
const isUnknown = (level: string | null | undefined) => Boolean(level) && !isLevel(level as string);

function levelErrors({ level }: Wish): FieldErrors {
  return { level: level === null || level === '' ? ["can't be blank"] : [] };
}

/** Only events that this source has here; the level has been looked at. */
function changeOf({ tier }: UnitOfWork, source: SourceType | 'everything', wish: Wish): Partial<Setting> {
  const events = eventsOf(source, tier).filter((event) => wish[event] !== undefined);
  return {
    ...(wish.level === undefined ? {} : { level: wish.level as NotificationLevel }),
    ...Object.fromEntries(events.map((event) => [event, wish[event] ?? null])),
  };
}

/** Blank means the primary address, whichever that is. */
async function addressErrors(uow: UnitOfWork, userId: number, address: string): Promise<string[]> {
  if (address === '') return [];
  const unverified = 'must be an email you have verified';
  if (!hasAddressForm(address)) return ['is invalid', unverified];
  return (await isConfirmedAddressOf(uow, userId, address)) ? [] : [unverified];
}

const isSame = (one: string, other: string) => foldCase(one) === foldCase(other);

async function mailTo(uow: UnitOfWork, userId: number, address: string): Promise<void> {
  await uow
    .updateTable('users')
    .set({ notification_email: address || null, updated_at: uow.now })
    .where('id', '=', userId)
    .execute();
}
