import { type AccessCall, open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { html } from '#http/endpoint/responses.ts';
import { required } from '#http/parameters/declarations.ts';
import { pathText } from '#http/parameters/texts.ts';
import { parseUnsubscribeToken } from '#mail/unsubscribe-link.ts';
import { createConfirmationPage, createInvalidLinkError, createUnsubscribedPage } from './pages.ts';
import { unsubscribe } from './unsubscribe.ts';

// Unsubscribe links of mails. The signed link alone identifies the recipient. The response is the same
// if the target is deleted.

const unsubscribeLinkAccess = () => open().resource(unsubscribeTarget);

const unsubscribeTarget = {
  name: 'target',
  params: { token: required(pathText) },
  load: async ({ services, params }: AccessCall<{ readonly token: string }>) =>
    parseUnsubscribeToken(await services.secretKey(), params.token),
  notFound: createInvalidLinkError,
} as const;

export const getUnsubscribePage = endpoint({
  get: '/-/sent_notifications/:token/unsubscribe',
  summary: 'Get the unsubscribe page of a notification mail',
  access: unsubscribeLinkAccess(),
  stageOrder: 'clientToken',
  outsideApi: true,
  response: html,
  handle: ({ target }) => createConfirmationPage(target),
});

export const unsubscribeByMail = endpoint({
  post: '/-/sent_notifications/:token/unsubscribe',
  summary: 'Unsubscribe by the link of a notification mail',
  access: unsubscribeLinkAccess(),
  stageOrder: 'clientToken',
  outsideApi: true,
  response: html,
  async handle({ target, caller }, { runUnitOfWork }) {
    await runUnitOfWork(caller, (uow) => unsubscribe(uow, target));
    return createUnsubscribedPage(target);
  },
});
