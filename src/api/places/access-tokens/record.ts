import type { Tier } from '../../../config.ts';
import type { Transaction } from '../../../database/database.ts';
import { recordAudit } from '../../../history/index.ts';
import type { AccessToken } from '../../../identity/access-tokens.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { groupKind, projectKind, type Resource } from './resource.ts';

/** Who does it, and on which tier. */
export interface Acting {
  readonly caller: SignedIn;
  readonly tier: Tier;
}

interface BotTokenEvent {
  readonly event: 'created' | 'deleted';
  readonly token: Pick<AccessToken, 'id' | 'scopes'>;
  readonly botName: string;
}

/** The audit event of a token that was made or ended, in the log of its project or group (contract/activity.md Part 3). */
export function recordBotToken(
  tx: Transaction,
  { caller, tier }: Acting,
  { type, id, full_path: path }: Resource,
  { event, token, botName }: BotTokenEvent,
): Promise<void> {
  const scopes = (JSON.parse(token.scopes) as string[]).join(', ');
  const created = `Created ${type} access token with token_id: ${token.id} with scopes: [${scopes}].`;
  return recordAudit(tx, caller, {
    name: (type === 'project' ? projectKind : groupKind).records[event],
    entity: { type: type === 'project' ? 'Project' : 'Group', id, path, tier },
    target: { type: 'PersonalAccessToken', id: token.id, details: botName },
    message: event === 'created' ? created : `Revoked ${type} access token with token_id: ${token.id}`,
  });
}
