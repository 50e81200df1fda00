import { type Static, Type } from 'typebox';
import { shape } from '../../../http/endpoint/answers.ts';
import type { Base } from '../../../http/endpoint/base.ts';
import { tokenFields, tokenValues } from '../../identity/personal-access-tokens/index.ts';
import type { Resource } from './resource.ts';
import type { BotToken } from './store.ts';

/** The forms of a project or group token: a personal one's, with the place and the role that it gives there. */

const placedFields = {
  ...tokenFields,
  access_level: Type.Integer(),
  resource_type: Type.Enum(['project', 'group']),
  resource_id: Type.Integer(),
};

export const ResourceAccessToken = shape('ResourceAccessToken', {
  ...placedFields,
  last_used_ips: Type.Array(Type.String()),
});

/** The only answers that show the secret. */
export const ResourceAccessTokenWithSecret = shape('ResourceAccessTokenWithSecret', {
  ...placedFields,
  token: Type.String(),
});

export function resourceAccessTokens(
  tokens: readonly BotToken[],
  resource: Resource,
  base: Base,
): Static<typeof ResourceAccessToken>[] {
  return tokens.map((token) => ({
    ...placedValues(token, resource, base),
    last_used_ips: JSON.parse(token.last_used_ips) as string[],
  }));
}

/** A token that has just been made, with the one sight of its secret. */
export interface IssuedBotToken {
  readonly token: BotToken;
  readonly secret: string;
}

export function issuedToken(
  { token, secret }: IssuedBotToken,
  resource: Resource,
  base: Base,
): Static<typeof ResourceAccessTokenWithSecret> {
  return { ...placedValues(token, resource, base), token: secret };
}

function placedValues(token: BotToken, { type, id }: Resource, base: Base) {
  return { ...tokenValues(token, base), access_level: token.access_level, resource_type: type, resource_id: id };
}
