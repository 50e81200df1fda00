import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { MailReason } from '#database/tables/mail.ts';
import type { FreshMatter, Matter } from '../subjects/subject.ts';
import { type Person, peopleAmong, settingsAmong } from './candidate-details.ts';
import { type Candidate, effectiveSetting, type Involvement, judge } from './notification-rules.ts';

/** One who is told. */
export interface Recipient {
  readonly userId: number;
  readonly email: string;
  readonly reason: MailReason | null;
  /** He is told as one who is named, whatever he is told as besides. */
  readonly mention: boolean;
}

/** Of these candidates those who are told, by what they have chosen and how they stand to the matter now. */
export async function recipientsAmong(
  db: Reader,
  matter: FreshMatter,
  actorId: number | null,
  involvements: ReadonlyMap<number, ReadonlySet<Involvement>>,
): Promise<Recipient[]> {
  const ids = [...involvements.keys()];
  const [people, settings] = await Promise.all([peopleAmong(db, matter, ids), settingsAmong(db, matter.place, ids)]);
  return ids.flatMap((userId) => {
    const person = people.get(userId);
    if (person?.address == null) return [];
    const choices = settings.get(userId) ?? [];
    const { level } = effectiveSetting(choices);
    const candidate: Candidate = {
      involvements: asAudience(involvements.get(userId)!, level),
      choices,
      reachable: true,
      mayRead: person.mayRead,
      isActor: userId === actorId,
      unsubscribed: person.unsubscribed,
      reasons: reasonsOf(matter, userId, involvements.get(userId)!),
    };
    const verdict = judge({ event: matter.event, mailsOff: matter.place.mailsOff }, candidate);
    return 'dropped' in verdict
      ? []
      : [{ userId, email: person.address, reason: verdict.reason, mention: candidate.involvements.has('mention') }];
  });
}

/** Whoever is of the audience only is so by the level that counts for him. */
function asAudience(involvements: ReadonlySet<Involvement>, level: string): ReadonlySet<Involvement> {
  const others = [...involvements].filter((one) => one !== 'watch');
  return new Set(level === 'watch' || level === 'custom' ? [...others, level] : others);
}

function reasonsOf(
  { assignees, reviewers, mentioned }: FreshMatter,
  userId: number,
  involvements: ReadonlySet<Involvement>,
): ReadonlySet<MailReason> {
  const all: [MailReason, boolean][] = [
    ['assigned', assignees.includes(userId)],
    ['review_requested', reviewers.includes(userId)],
    ['mentioned', mentioned.includes(userId)],
    ['subscribed', involvements.has('subscription')],
  ];
  return new Set(all.filter(([, is]) => is).map(([reason]) => reason));
}

/** Is one who was to be told of it still to be told, at this address? Asked again when his mail is about to leave. */
export function isStillTold(
  { place }: Matter,
  person: Person | undefined,
  { email, mention }: Pick<Recipient, 'email' | 'mention'>,
): boolean {
  if (person?.address == null || !person.confirmed.has(foldCase(email))) return false;
  return person.mayRead && !place.mailsOff && (!person.unsubscribed || mention);
}
