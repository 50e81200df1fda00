import { Type } from 'typebox';
import { tokenFields, tokenValues } from '#api/identity/personal-access-tokens/index.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import type { BotToken } from './store.ts';

/** The forms of a project or group token: a personal one's, with the place and the role that it gives there. */

const placedFields = {
  ...tokenFields,
  access_level: Type.Integer(),
  resource_type: Type.Enum(['project', 'group']),
  resource_id: Type.Integer(),
};

export const ResourceAccessToken = entity('ResourceAccessToken', placedFields).from((token: BotToken, to) =>
  placedValues(token, to),
);

/** A token that has just been made, with the one sight of its secret. */
export interface IssuedBotToken {
  readonly token: BotToken;
  readonly secret: string;
}

/** The only answers that show the secret. */
export const ResourceAccessTokenWithSecret = entity('ResourceAccessTokenWithSecret', {
  ...placedFields,
  token: Type.String(),
}).from(({ token, secret }: IssuedBotToken, to) => ({ ...placedValues(token, to), token: secret }));

function placedValues(token: BotToken, to: SerializationContext) {
  const { access_level, source_type: resource_type, source_id: resource_id } = token;
  return { ...tokenValues(token, to), access_level, resource_type, resource_id };
}
