import { deleteApplication, renewSecret } from '#authentication/oauth/applications.ts';
import { administrator } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, page } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { ruledText, string } from '#http/parameters/texts.ts';
import { boolean, integer, notBlank } from '#http/parameters/types.ts';
import { registerApplication } from './create.ts';
import { Application, ApplicationWithSecret } from './entities.ts';
import { pageOfApplications } from './store.ts';

const NOT_FOUND = [404, '404 Application Not Found'] as const;

const one = { id: required(integer) };

export const listApplications = endpoint({
  get: '/applications',
  summary: 'List the applications that users may let act for them',
  access: administrator(),
  response: page(Application),
  read: (db, { page }) => pageOfApplications(db, page),
});

export const createApplication = endpoint({
  post: '/applications',
  summary: 'Register an application',
  access: administrator(),
  params: {
    name: required(ruledText(255)),
    redirect_uri: required(ruledText(8_000)),
    scopes: required(notBlank(string)),
    confidential: optional(boolean, true),
  },
  errors: { invalid: INVALID },
  response: created(ApplicationWithSecret),
  write: (uow, { params }) => registerApplication(uow, params),
});

export const removeApplication = endpoint({
  delete: '/applications/:id',
  summary: 'Remove an application; its tokens end',
  access: administrator(),
  params: one,
  errors: { notFound: NOT_FOUND },
  response: noContent,
  write: (uow, { params }) => deleteApplication(uow, params.id),
});

export const renewApplicationSecret = endpoint({
  post: '/applications/:id/renew-secret',
  summary: 'Give an application another secret; the old one ends',
  access: administrator(),
  params: one,
  errors: { notFound: NOT_FOUND },
  response: created(ApplicationWithSecret),
  write: (uow, { params }) => renewSecret(uow, params.id),
});
