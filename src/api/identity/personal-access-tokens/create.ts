import type { SignedInCaller } from '#authentication/caller.ts';
import {
  createToken,
  defaultExpiry,
  type IssuedToken,
  isTooLate,
  latestExpiry,
  type Scope,
} from '#authentication/tokens/access-tokens.ts';
import { nameProblems } from '#authentication/users/name-validation.ts';
import { changeableUser, type Unchangeable } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { recordToken } from './activity.ts';

export interface TokenOrder {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly Scope[];
  readonly expires_at?: string | null | undefined;
}

/** Issues a token to a user. Its date is the latest allowed one unless another was asked for. */
export async function issueToken(
  uow: UnitOfWork<SignedInCaller>,
  userId: number,
  { name, description, scopes, expires_at }: TokenOrder,
): Promise<IssuedToken | Failure<Unchangeable | 'wrongOrder'>> {
  const user = await changeableUser(uow, userId);
  if (isFailure(user)) return user;
  const settings = await readSettings(uow);
  const asked = expires_at ?? null;
  const wrong = checkOrder({ name, scopes, expiresAt: asked }, latestExpiry(uow.today, settings));
  if (wrong !== null) return wrong;
  const issued = await createToken(uow, {
    userId,
    name,
    description: description || null,
    scopes,
    expiresAt: asked ?? defaultExpiry(uow.today, settings),
    prefix: settings.personal_access_token_prefix,
  });
  await recordToken(uow, { event: 'created', token: issued.token, owner: user });
  return issued;
}

interface OrderedToken extends Pick<TokenOrder, 'name' | 'scopes'> {
  readonly expiresAt: string | null;
}

/**
 * What is wrong with an order of a token that may end on the day `latest` at the latest, all of it as one sentence,
 * `problems`; null: nothing.
 */
export function checkOrder(
  { name, scopes, expiresAt }: OrderedToken,
  latest: string | null,
): Failure<'wrongOrder'> | null {
  const problems = [
    ...nameProblems(name).map((problem) => `Name ${problem}`),
    ...(scopes.length === 0 ? ["Scopes can't be blank"] : []),
    ...(isTooLate(expiresAt, latest) ? [`Expiration date must be before ${latest}`] : []),
  ];
  return problems.length === 0 ? null : fail('wrongOrder', { problems: sentence(problems) });
}

/** `A`, `A and B`, or `A, B, and C`. */
function sentence(parts: readonly string[]): string {
  if (parts.length < 3) return parts.join(' and ');
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}
