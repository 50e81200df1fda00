import type { AccessToken } from '#authentication/tokens/access-tokens.ts';
import type { User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

interface TokenEvent {
  readonly event: 'created' | 'revoked';
  readonly token: Pick<AccessToken, 'id'>;
  readonly owner: Pick<User, 'id' | 'name' | 'username'>;
}

/** Records the audit event of a created or revoked token; its entity is the acting user, or the owner if the server acts. */
export function recordTokenEvent(uow: UnitOfWork, { event, token, owner }: TokenEvent): Promise<void> {
  const { id, username } = uow.actor.user ?? owner;
  return uow.record({
    name: event === 'created' ? 'personal_access_token_created' : 'personal_access_token_revoked',
    entity: { type: 'User', id, path: username },
    target: { type: 'User', id: owner.id, details: owner.name },
    message: `${event === 'created' ? 'Created' : 'Revoked'} personal access token with id ${token.id}`,
  });
}
