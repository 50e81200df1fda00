import { isSignedIn } from '#authentication/caller.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { html, redirect } from '#http/endpoint/responses.ts';
import { formParams, formSession, visitor, visitorWithForm } from '#http/pages/web-session.ts';
import { hash, optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { localUrl } from '#http/request/base-url.ts';
import { homePage, renewalPage, signInPage } from './pages.ts';
import { signInVisitor } from './sign-in.ts';
import { signOutVisitor } from './sign-out.ts';

export const readHomePage = endpoint({
  get: '/',
  summary: 'The page of the signed-in user',
  access: visitor(),
  stageOrder: 'ownProof',
  root: true,
  response: html,
  handle({ visitor: { session, caller, passwordExpired }, request }) {
    if (session === null || !isSignedIn(caller)) return { location: localUrl(request, '/users/sign_in') };
    return (passwordExpired ? renewalPage : homePage)(request, caller.user, session);
  },
});

export const readSignInPage = endpoint({
  get: '/users/sign_in',
  summary: 'The form to sign in with a password',
  access: visitor(),
  stageOrder: 'ownProof',
  root: true,
  response: html,
  async handle({ visitor, request }, services) {
    if (isSignedIn(visitor.caller)) return { location: localUrl(request, '/') };
    const { session, headers } = await formSession(services, request, visitor);
    return signInPage(request, session, headers);
  },
});

export const signIn = endpoint({
  post: '/users/sign_in',
  summary: 'Sign in with a password, from the form',
  access: visitorWithForm(),
  stageOrder: 'ownProof',
  root: true,
  params: {
    ...formParams,
    user: optional(hash({ login: optional(string), password: optional(string), new_password: optional(string) })),
  },
  activity: ['user_password_updated'],
  response: redirect,
  handle({ visitor, params: { user }, request }, services) {
    const { login, password, new_password: newPassword } = user ?? {};
    const form = { login: login ?? '', password: password ?? '', newPassword: newPassword ?? '' };
    return signInVisitor(services, request, visitor.session, form);
  },
});

export const signOut = endpoint({
  post: '/users/sign_out',
  summary: 'Sign out',
  access: visitor(),
  stageOrder: 'ownProof',
  root: true,
  response: redirect,
  handle: ({ visitor, request }, { runUnitOfWork }) => signOutVisitor(runUnitOfWork, request, visitor),
});

export const deleteSession = endpoint({
  delete: '/users/sign_out',
  summary: 'Sign out, by the method that scripts choose',
  access: visitor(),
  stageOrder: 'ownProof',
  root: true,
  response: redirect,
  handle: ({ visitor, request }, { runUnitOfWork }) => signOutVisitor(runUnitOfWork, request, visitor),
});
