import { Type } from 'typebox';
import type { IssuedApplication, OAuthApplication } from '#authentication/oauth/applications.ts';
import { entity } from '#http/endpoint/entity.ts';

/** The representations of an OAuth application (contract/conventions.md §10 "OAuth 2.0"). */

export const Application = entity('Application', {
  id: Type.Integer(),
  application_id: Type.String(),
  application_name: Type.String(),
  callback_url: Type.String(),
  confidential: Type.Boolean(),
}).from(({ id, uid, name, redirect_uris, confidential }: OAuthApplication) => ({
  id,
  application_id: uid,
  application_name: name,
  callback_url: redirect_uris,
  confidential,
}));

/** An application with its secret. Only the responses to creation and renewal contain it. */
export const ApplicationWithSecret = entity('ApplicationWithSecret', {
  ...Application.schema.properties,
  secret: Type.String(),
}).from(({ application, secret }: IssuedApplication, context) => ({
  ...Application.serialize(application, context),
  secret,
}));
