import { administrator } from '../../../http/access/access.ts';
import { created, mapPage, nothing, page } from '../../../http/endpoint/answers.ts';
import { endpoint, RECORD_ERRORS } from '../../../http/endpoint/endpoint.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { boolean, integer, notBlank, text } from '../../../http/parameters/types.ts';
import { deleteApplication, renewSecret } from '../../../identity/oauth-applications.ts';
import { isRefused } from '../../../refused.ts';
import { registerApplication } from './create.ts';
import { Application, ApplicationWithSecret, applications, issuedApplication } from './entities.ts';
import { pageOfApplications } from './store.ts';

const NOT_FOUND = [404, '404 Application Not Found'] as const;

const one = { id: required(integer) };

export const listApplications = endpoint({
  get: '/applications',
  summary: 'List the applications that users may let act for them',
  access: administrator(),
  answer: page(Application),
  handle: async ({ page, db }) => mapPage(await pageOfApplications(db, page), applications),
});

export const createApplication = endpoint({
  post: '/applications',
  summary: 'Register an application',
  access: administrator(),
  params: {
    name: required(text),
    redirect_uri: required(text),
    scopes: required(notBlank(text)),
    confidential: optional(boolean, true),
  },
  refuses: { invalid: [400, RECORD_ERRORS] },
  answer: created(ApplicationWithSecret),
  async handle({ params, database }) {
    const issued = await registerApplication(database, { ...params, confidential: params.confidential ?? true });
    return isRefused(issued) ? issued : issuedApplication(issued);
  },
});

export const removeApplication = endpoint({
  delete: '/applications/:id',
  summary: 'Remove an application; its tokens end',
  access: administrator(),
  params: one,
  refuses: { notFound: NOT_FOUND },
  answer: nothing,
  handle: ({ params, database }) => database.transaction((tx) => deleteApplication(tx, params.id)),
});

export const renewApplicationSecret = endpoint({
  post: '/applications/:id/renew-secret',
  summary: 'Give an application another secret; the old one ends',
  access: administrator(),
  params: one,
  refuses: { notFound: NOT_FOUND },
  answer: created(ApplicationWithSecret),
  async handle({ params, database }) {
    const issued = await database.transaction((tx) => renewSecret(tx, params.id));
    return isRefused(issued) ? issued : issuedApplication(issued);
  },
});
