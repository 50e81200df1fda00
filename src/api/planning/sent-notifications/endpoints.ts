import { type AccessCall, open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { html } from '#http/endpoint/responses.ts';
import { required } from '#http/parameters/declarations.ts';
import { pathText } from '#http/parameters/texts.ts';
import { readLeavingToken } from '#mail/unsubscribe-link.ts';
import { askingPage, leftPage, noSuchLink } from './pages.ts';
import { leave } from './unsubscribe.ts';

// What mails lead to whose recipient wants no more of the kind. He is known by the link alone, which this server has signed;
// whether what it is about is still there, nobody is told.

const byLink = () => open().resource(leaving);

const leaving = {
  name: 'leaving',
  params: { token: required(pathText) },
  load: async ({ services, params }: AccessCall<{ readonly token: string }>) =>
    readLeavingToken(await services.secretKey(), params.token),
  notFound: noSuchLink,
} as const;

export const readUnsubscribePage = endpoint({
  get: '/-/sent_notifications/:token/unsubscribe',
  summary: 'Ask whether to hear no more of what a mail has told',
  access: byLink(),
  stageOrder: 'ownProof',
  root: true,
  response: html,
  handle: ({ leaving }) => askingPage(leaving),
});

export const unsubscribeByMail = endpoint({
  post: '/-/sent_notifications/:token/unsubscribe',
  summary: 'Hear no more of what a mail has told, by its link or with one click (RFC 8058)',
  access: byLink(),
  stageOrder: 'ownProof',
  root: true,
  response: html,
  async handle({ leaving, caller }, { runUnitOfWork }) {
    await runUnitOfWork(caller, (uow) => leave(uow, leaving));
    return leftPage(leaving);
  },
});
