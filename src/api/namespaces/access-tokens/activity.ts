import type { AccessToken } from '#authentication/tokens/access-tokens.ts';
import { roleName } from '#domain/members/roles.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Pair, Parent } from '#http/access/parents.ts';
import { quotedList } from '#text/quoted-list.ts';

/** What tokens leave in the audit log of their project or group (contract/activity.md Part 3). */

export const CREATED = {
  group: 'group_access_token_created',
  project: 'project_access_token_created',
} as const satisfies Pair<string>;

export const DELETED = {
  group: 'group_access_token_deleted',
  project: 'project_access_token_deleted',
} as const satisfies Pair<string>;

interface OfBot {
  readonly token: Pick<AccessToken, 'id'>;
  readonly botName: string;
}

interface NewToken extends OfBot {
  readonly token: Pick<AccessToken, 'id' | 'scopes'>;
  readonly level: number;
}

export function recordCreated(uow: UnitOfWork, parent: Parent, { token, botName, level }: NewToken): Promise<void> {
  const scopes = quotedList(JSON.parse(token.scopes) as string[]);
  return uow.record({
    ...about(parent, { token, botName }),
    name: CREATED[parent.type],
    message: `Created ${parent.type} access token with token_id: ${token.id} with scopes: ${scopes} and ${roleName(level)} access level.`,
  });
}

export function recordDeleted(uow: UnitOfWork, parent: Parent, { token, botName }: OfBot): Promise<void> {
  return uow.record({
    ...about(parent, { token, botName }),
    name: DELETED[parent.type],
    message: `Revoked ${parent.type} access token with token_id: ${token.id}`,
  });
}

function about({ type, id, full_path: path }: Parent, { token, botName }: OfBot) {
  return {
    entity: { type: type === 'project' ? 'Project' : 'Group', id, path },
    target: { type: 'PersonalAccessToken', id: token.id, details: botName },
  } as const;
}
