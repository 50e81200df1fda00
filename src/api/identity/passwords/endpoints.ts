import { endpoint } from '#http/endpoint/endpoint.ts';
import { html } from '#http/endpoint/responses.ts';
import { csrfParams, ensureSession, visitor, visitorWithForm } from '#http/pages/web-session.ts';
import { object, optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { createLinkRequestPage, createPasswordPage } from './pages.ts';
import { requestLink } from './request-link.ts';
import { findLinkProblem, setPassword } from './set-password.ts';

// Pages that send a one-time link and set a password with it (contract/conventions.md §7 "Forgotten passwords").

const webDefinition = { stageOrder: 'clientToken', outsideApi: true } as const;

const passwordFields = {
  reset_password_token: optional(string),
  password: optional(string),
  password_confirmation: optional(string),
};

export const getPasswordRequestPage = endpoint({
  get: '/users/password/new',
  summary: 'Get the page for a forgotten password',
  description:
    'Shows a form that asks for the e-mail address of the user. Without mail delivery it refers to an administrator.',
  access: visitor(),
  ...webDefinition,
  response: html,
  async handle({ visitor, request }, services) {
    const { session, headers } = await ensureSession(services, request, visitor);
    return createLinkRequestPage(request, session, services.config, { headers });
  },
});

export const getPasswordPage = endpoint({
  get: '/users/password/edit',
  summary: 'Get the page of a password link',
  description:
    'Shows the form for a new password. For a link that is used, expired or wrong it says how to get another one.',
  access: visitor(),
  ...webDefinition,
  params: { reset_password_token: optional(string) },
  response: html,
  async handle({ visitor, params, request }, services) {
    const { session, headers } = await ensureSession(services, request, visitor);
    const token = params.reset_password_token ?? '';
    const problem = await findLinkProblem(services, token);
    return createPasswordPage(request, session, services.config, { token, headers, problem });
  },
});

export const createPasswordRequest = endpoint({
  post: '/users/password',
  summary: 'Create a request for a new password',
  description:
    'Sends a mail with a one-time link to the user with this address. The response is the same whether or not there is one. ' +
    'With `_method=put`, as forms send it, sets a password as `PUT` does.',
  access: visitorWithForm(),
  ...webDefinition,
  params: {
    ...csrfParams,
    _method: optional(string),
    user: optional(object({ email: optional(string), ...passwordFields })),
  },
  activity: ['user_password_updated', 'user_access_unlocked'],
  response: html,
  handle({ visitor: { session }, params: { _method: method, user }, request }, services) {
    if (method?.toLowerCase() === 'put') return setPassword(services, request, session, user ?? {});
    return requestLink(services, request, session, user?.email ?? '');
  },
});

export const updatePassword = endpoint({
  put: '/users/password',
  summary: 'Update a password with a one-time link',
  description:
    'Sets the password, ends all sessions of the user and a lock after wrong passwords. The link cannot be used again.',
  access: visitorWithForm(),
  ...webDefinition,
  params: { ...csrfParams, user: optional(object(passwordFields)) },
  activity: ['user_password_updated', 'user_access_unlocked'],
  response: html,
  handle: ({ visitor: { session }, params: { user }, request }, services) =>
    setPassword(services, request, session, user ?? {}),
});
