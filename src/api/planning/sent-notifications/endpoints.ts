import { findUserById } from '#authentication/users/users.ts';
import type { UnsubscribableTarget } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type AccessCall, open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { type HtmlReply, html } from '#http/endpoint/responses.ts';
import type { HttpError } from '#http/errors/http-error.ts';
import { createAlertBox, createHtmlError, createHtmlPage, markup } from '#http/pages/html-page.ts';
import { required } from '#http/parameters/declarations.ts';
import { pathText } from '#http/parameters/texts.ts';
import { parseUnsubscribeToken, type UnsubscribeClaim } from '#mail/unsubscribe-link.ts';
import { setSubscribed, TABLES_BY_TYPE } from '../issuables/index.ts';
import { listDigestTargets } from '../mail-messages/index.ts';
import { updateSetting } from '../notification-settings/index.ts';

const TARGET_TEXTS: Readonly<Record<UnsubscribeClaim['target'], string>> = {
  Issue: 'this issue',
  MergeRequest: 'this merge request',
  Epic: 'this epic',
  Project: 'this project',
  Digest: 'everything listed in this mail',
};

const EXCEPTION_TEXTS: Readonly<Record<UnsubscribeClaim['target'], string>> = {
  Issue: 'unless you are mentioned there',
  MergeRequest: 'unless you are mentioned there',
  Epic: 'unless you are mentioned there',
  Project: 'except for what you are subscribed to there',
  Digest: 'unless you are mentioned there',
};

/** Returns a page that asks for confirmation, because mail scanners follow links. */
function createConfirmationPage({ target }: UnsubscribeClaim): HtmlReply {
  const main = markup`<p>You will receive no more mails about ${TARGET_TEXTS[target]}, ${EXCEPTION_TEXTS[target]}.</p>
<form method="post" action="">
<button>Unsubscribe</button>
</form>`;
  return createHtmlPage({ title: 'Unsubscribe?', main, csrfToken: null });
}

/** Returns the page that confirms that the user has unsubscribed. */
function createUnsubscribedPage({ target }: UnsubscribeClaim): HtmlReply {
  const main = markup`<p role="status">You will receive no more mails about ${TARGET_TEXTS[target]}, ${EXCEPTION_TEXTS[target]}.</p>`;
  return createHtmlPage({ title: 'Unsubscribed', main, csrfToken: null });
}

/** Returns the 404 page for a link without a valid token. */
function createInvalidLinkError(): HttpError {
  const main = markup`${createAlertBox('This unsubscribe link is invalid.')}<p>Copy the whole link from the mail, or sign in and unsubscribe there.</p>`;
  return createHtmlError(404, { title: 'Not found', main });
}

// Unsubscribe links of mails. The signed token in the link identifies the recipient, without a login. The response does not reveal
// whether the target still exists.

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
  description:
    'Returns an HTML page with a button that unsubscribes. Opening the link changes nothing, because mail scanners follow links. Answers 404 with a page for an invalid token.',
  access: unsubscribeLinkAccess(),
  stageOrder: 'clientToken',
  outsideApi: true,
  response: html,
  handle: ({ target }) => createConfirmationPage(target),
});

export const unsubscribeByMail = endpoint({
  post: '/-/sent_notifications/:token/unsubscribe',
  summary: 'Unsubscribe by the link of a notification mail',
  description:
    'Unsubscribes the recipient of the mail without a login, and returns an HTML page. For an issue, merge request or epic the subscription ends; for a project the notification level becomes `disabled`. Also serves the one-click unsubscription of mail clients. Repeated calls give the same response.',
  access: unsubscribeLinkAccess(),
  stageOrder: 'clientToken',
  outsideApi: true,
  response: html,
  async handle({ target, caller }, { runUnitOfWork }) {
    await runUnitOfWork(caller, (uow) => unsubscribe(uow, target));
    return createUnsubscribedPage(target);
  },
});

/** Unsubscribes the user from the target. Does nothing if either is deleted. */
async function unsubscribe(uow: UnitOfWork, { target: targetType, id, userId }: UnsubscribeClaim): Promise<void> {
  if ((await findUserById(uow, userId)) === null) return;
  const targets = targetType === 'Digest' ? await listDigestTargets(uow, id, userId) : [{ type: targetType, id }];
  for (const target of targets) await unsubscribeFrom(uow, target, userId);
}

interface Target {
  readonly type: UnsubscribableTarget;
  readonly id: number;
}

/** Unsubscribes from one target. index: issues primary key, merge_requests primary key, epics primary key, projects primary key */
async function unsubscribeFrom(uow: UnitOfWork, { type, id }: Target, userId: number): Promise<void> {
  const table = type === 'Project' ? 'projects' : TABLES_BY_TYPE[type].table;
  const row = await uow.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  if (type === 'Project') await updateSetting(uow, userId, { type: 'project', id }, { level: 'disabled' });
  else await setSubscribed(uow, TABLES_BY_TYPE[type], { id, userId, subscribed: false });
}
