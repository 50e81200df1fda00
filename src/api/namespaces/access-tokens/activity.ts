import type { AccessToken } from '#authentication/tokens/access-tokens.ts';
import { getRoleName } from '#domain/members/roles.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ByParentType, Parent } from '#http/access/parents.ts';
import { formatQuotedList } from '#text/json-object.ts';

/** Audit events of the tokens of a project or group (contract/activity.md Part 3). */

/** Name of the audit event of a new token. */
export const TOKEN_CREATED = {
  group: 'group_access_token_created',
  project: 'project_access_token_created',
} as const satisfies ByParentType<string>;

/** Name of the audit event of a revoked token. */
export const TOKEN_DELETED = {
  group: 'group_access_token_deleted',
  project: 'project_access_token_deleted',
} as const satisfies ByParentType<string>;

/** A token in an audit event. */
interface BotTokenReference {
  readonly token: Pick<AccessToken, 'id'>;
  readonly botName: string;
}

/** A new token, with the role of its bot. */
interface CreatedBotToken extends BotTokenReference {
  readonly token: Pick<AccessToken, 'id' | 'scopes'>;
  readonly accessLevel: number;
}

/** Records the audit event of a new token. */
export function recordTokenCreated(
  uow: UnitOfWork,
  parent: Parent,
  { token, botName, accessLevel }: CreatedBotToken,
): Promise<void> {
  const scopes = formatQuotedList(JSON.parse(token.scopes) as string[]);
  return uow.record({
    ...buildAuditSubject(parent, { token, botName }),
    name: TOKEN_CREATED[parent.type],
    message: `Created ${parent.type} access token with token_id: ${token.id} with scopes: ${scopes} and ${getRoleName(accessLevel)} access level.`,
  });
}

/** Records the audit event of a revoked token. */
export function recordTokenDeleted(
  uow: UnitOfWork,
  parent: Parent,
  { token, botName }: BotTokenReference,
): Promise<void> {
  return uow.record({
    ...buildAuditSubject(parent, { token, botName }),
    name: TOKEN_DELETED[parent.type],
    message: `Revoked ${parent.type} access token with token_id: ${token.id}`,
  });
}

/** Returns the entity and the target of the audit event. */
function buildAuditSubject({ type, id, full_path: path }: Parent, { token, botName }: BotTokenReference) {
  return {
    entity: { type: type === 'project' ? 'Project' : 'Group', id, path },
    target: { type: 'PersonalAccessToken', id: token.id, details: botName },
  } as const;
}
