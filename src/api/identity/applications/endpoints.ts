import { Type } from 'typebox';
import {
  applicationColumns,
  deleteApplication as deleteApplicationRow,
  type IssuedApplication,
  type OAuthApplication,
  resetApplicationSecret,
} from '#authentication/oauth/applications.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { administrator } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, noContent, page } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, string } from '#http/parameters/texts.ts';
import { boolean, integer, notBlank } from '#http/parameters/types.ts';
import { registerApplication } from './create.ts';

/** An OAuth application (contract/conventions.md §10 "OAuth 2.0"). */
const Application = entity('Application', {
  id: Type.Integer(),
  application_id: Type.String({ description: 'The `client_id` of OAuth requests.' }),
  application_name: Type.String(),
  callback_url: Type.String({ description: 'Redirect URIs, one per line.' }),
  confidential: Type.Boolean(),
}).from(({ id, uid, name, redirect_uris, confidential }: OAuthApplication) => ({
  id,
  application_id: uid,
  application_name: name,
  callback_url: redirect_uris,
  confidential,
}));

/** An application with its secret. Only the responses to creation and renewal contain it. */
const ApplicationWithSecret = entity('ApplicationWithSecret', {
  ...Application.schema.properties,
  secret: Type.String(),
}).from(({ application, secret }: IssuedApplication, context) => ({
  ...Application.serialize(application, context),
  secret,
}));

const NOT_FOUND = [404, '404 Application Not Found'] as const;

const idParameter = { id: required(integer) };

export const listApplications = endpoint({
  get: '/applications',
  summary: 'List OAuth applications',
  description: 'Returns all OAuth applications of the instance, without secrets, ordered by id.',
  access: administrator(),
  response: page(Application),
  read: (db, { page }) => listApplicationPage(db, page),
});

export const createApplication = endpoint({
  post: '/applications',
  summary: 'Create an OAuth application',
  description:
    'Registers an OAuth application. `application_id` in the response is the `client_id` of OAuth requests. The ' +
    'secret is only shown here and after a renewal.',
  access: administrator(),
  params: {
    name: required(domainValidatedText(255)),
    redirect_uri: describe(required(domainValidatedText(8_000)), 'Redirect URIs, one per line.'),
    scopes: describe(required(notBlank(string)), 'Scopes that the application may request, separated by spaces.'),
    confidential: describe(
      optional(boolean, true),
      'Whether the application can keep its secret. Others must use PKCE and cannot use client credentials.',
    ),
  },
  errors: { invalid: INVALID },
  response: created(ApplicationWithSecret),
  write: (uow, { params }) => registerApplication(uow, params),
});

export const deleteApplication = endpoint({
  delete: '/applications/:id',
  summary: 'Delete an OAuth application and its tokens',
  description: 'Deletes the application. Its tokens and authorization codes stop working immediately.',
  access: administrator(),
  params: idParameter,
  errors: { notFound: NOT_FOUND },
  response: noContent,
  write: (uow, { params }) => deleteApplicationRow(uow, params.id),
});

export const renewApplicationSecret = endpoint({
  post: '/applications/:id/renew-secret',
  summary: 'Renew the secret of an OAuth application',
  description:
    'Replaces the secret of the application and returns the new one. The old secret stops working immediately; tokens ' +
    'stay valid.',
  access: administrator(),
  params: idParameter,
  errors: { notFound: NOT_FOUND },
  response: created(ApplicationWithSecret),
  write: (uow, { params }) => resetApplicationSecret(uow, params.id),
});

/** Returns one page of all applications, ordered by id. */
function listApplicationPage(db: Reader, page: OffsetRequest): Promise<Page<OAuthApplication>> {
  // index: oauth_applications primary key
  const applications = db.selectFrom('oauth_applications').select(applicationColumns);
  return paginate(db, applications.orderBy('oauth_applications.id', 'asc'), page);
}
