import {
  deleteApplication as deleteApplicationRow,
  resetApplicationSecret,
} from '#authentication/oauth/applications.ts';
import { administrator } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, page } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, string } from '#http/parameters/texts.ts';
import { boolean, integer, notBlank } from '#http/parameters/types.ts';
import { registerApplication } from './create.ts';
import { Application, ApplicationWithSecret } from './entities.ts';
import { listApplicationPage } from './store.ts';

const NOT_FOUND = [404, '404 Application Not Found'] as const;

const idParameter = { id: required(integer) };

export const listApplications = endpoint({
  get: '/applications',
  summary: 'List OAuth applications',
  access: administrator(),
  response: page(Application),
  read: (db, { page }) => listApplicationPage(db, page),
});

export const createApplication = endpoint({
  post: '/applications',
  summary: 'Create an OAuth application',
  access: administrator(),
  params: {
    name: required(domainValidatedText(255)),
    redirect_uri: required(domainValidatedText(8_000)),
    scopes: required(notBlank(string)),
    confidential: optional(boolean, true),
  },
  errors: { invalid: INVALID },
  response: created(ApplicationWithSecret),
  write: (uow, { params }) => registerApplication(uow, params),
});

export const deleteApplication = endpoint({
  delete: '/applications/:id',
  summary: 'Delete an OAuth application and its tokens',
  access: administrator(),
  params: idParameter,
  errors: { notFound: NOT_FOUND },
  response: noContent,
  write: (uow, { params }) => deleteApplicationRow(uow, params.id),
});

export const renewApplicationSecret = endpoint({
  post: '/applications/:id/renew-secret',
  summary: 'Renew the secret of an OAuth application',
  access: administrator(),
  params: idParameter,
  errors: { notFound: NOT_FOUND },
  response: created(ApplicationWithSecret),
  write: (uow, { params }) => resetApplicationSecret(uow, params.id),
});
