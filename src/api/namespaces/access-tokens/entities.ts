import { Type } from 'typebox';
import { serializeToken, tokenFields } from '#api/identity/personal-access-tokens/index.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import type { BotToken } from './store.ts';

/** The fields of a token of a project or group: those of a personal token, the project or group, and the role of the bot there. */
const resourceTokenFields = {
  ...tokenFields,
  access_level: Type.Integer({ description: 'Role of the bot in the group or project.' }),
  resource_type: Type.Enum(['project', 'group']),
  resource_id: Type.Integer({ description: 'Id of the project or group.' }),
};

/** A token of a project or group, without its secret. */
export const ResourceAccessToken = entity('ResourceAccessToken', resourceTokenFields).from((token: BotToken, context) =>
  serializeResourceToken(token, context),
);

/** A new token with its secret. */
export interface BotTokenWithSecret {
  readonly token: BotToken;
  readonly secret: string;
}

/** A token with its secret. Only the responses to creation and rotation contain the secret. */
export const ResourceAccessTokenWithSecret = entity('ResourceAccessTokenWithSecret', {
  ...resourceTokenFields,
  token: Type.String(),
}).from(({ token, secret }: BotTokenWithSecret, context) => ({
  ...serializeResourceToken(token, context),
  token: secret,
}));

function serializeResourceToken(token: BotToken, context: SerializationContext) {
  const { access_level, source_type: resource_type, source_id: resource_id } = token;
  return { ...serializeToken(token, context), access_level, resource_type, resource_id };
}
