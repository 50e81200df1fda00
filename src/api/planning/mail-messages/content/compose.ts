import type { KeyObject } from 'node:crypto';
import type { PipelineRow } from '#authorization/pipelines.ts';
import type { MailEvent, MailReason } from '#database/schema.ts';
import { type Markup, markup } from '#http/pages/html-page.ts';
import { buildListId, buildMessageId, getUrlHost, type Mail, toHeaderLine } from '#mail/mailer.ts';
import { createUnsubscribeToken, type UnsubscribeClaim } from '#mail/unsubscribe-link.ts';
import { type MailRow, toUnsubscribableTarget } from '../store.ts';
import { NOTEABLE_WORDS } from '../subjects/noteable.ts';
import type { MailSubject } from '../subjects/subject.ts';

/** A stored mail with the columns of its occurrence, except the content. */
export type StoredMail = MailRow & {
  readonly note_id: number | null;
  readonly lead: string;
  readonly path: string;
};

/** Base URL, signing key and date for composing mails. */
interface ComposeContext {
  /** Base URL of links. */
  readonly baseUrl: string;
  /** Signs unsubscribe links. */
  readonly key: KeyObject;
  readonly date: Date;
}

/** Composes the mail about one event. */
export function composeMail(
  context: ComposeContext,
  storedMail: StoredMail,
  content: string,
  mailSubject: MailSubject,
): Mail {
  const { baseUrl } = context;
  const url = baseUrl + storedMail.path;
  const unsubscribeUrl = buildUnsubscribeUrl(context, getUnsubscribeClaim(storedMail));
  const reasonText = REASON_TEXTS[storedMail.reason ?? 'other'];
  return {
    to: storedMail.recipient_email,
    subject: storedMail.subject,
    messageId: storedMail.message_id,
    inReplyTo: storedMail.in_reply_to,
    date: context.date,
    text: [storedMail.lead, content, `-- \n${reasonText}\nView it: ${url}\nUnsubscribe: ${unsubscribeUrl}\n`]
      .filter((part) => part !== '')
      .join('\n\n'),
    html: wrapHtml(markup`<p>${storedMail.lead}</p>${renderContent(content)}
<p><a href="${url}">View it</a></p>
${renderFooter(reasonText, unsubscribeUrl, 'Unsubscribe')}`),
    headers: {
      ...buildMailHeaders(mailSubject, baseUrl),
      ...buildReasonHeader(storedMail.reason),
      ...buildUnsubscribeHeaders(unsubscribeUrl),
    },
  };
}

/** Maximum number of listed mails in a digest; the rest is only counted. */
const MAX_DIGEST_ITEMS = 100;

/** Returns the id of a digest: the lowest id of its mails. */
export const getDigestId = (mails: readonly StoredMail[]): number => Math.min(...mails.map(({ id }) => id));

/** Composes one digest mail for mails above the hourly limit. */
export function composeDigest(context: ComposeContext, mails: readonly StoredMail[]): Mail {
  const [firstMail] = mails as readonly [StoredMail, ...StoredMail[]];
  const { baseUrl } = context;
  const id = getDigestId(mails);
  const unsubscribeUrl = buildUnsubscribeUrl(context, { target: 'Digest', id, userId: firstMail.recipient_id });
  const listedMails = mails.slice(0, MAX_DIGEST_ITEMS);
  const moreText = mails.length > listedMails.length ? `and ${mails.length - listedMails.length} more` : '';
  const reasonText = 'You reached the hourly limit of mails, so these notifications are combined in one mail.';
  const textItems = listedMails.map(({ subject, lead, path }) => `${subject}\n${lead}\n${baseUrl + path}`);
  const htmlItems = listedMails.map(
    ({ subject, lead, path }) => markup`<li><a href="${baseUrl + path}">${subject}</a><br>${lead}</li>`,
  );
  return {
    to: firstMail.recipient_email,
    subject: `${mails.length} notifications`,
    messageId: buildMessageId(`digest_${id}`, getUrlHost(baseUrl)),
    inReplyTo: null,
    date: context.date,
    text: [...textItems, moreText, `-- \n${reasonText}\nUnsubscribe from all of these: ${unsubscribeUrl}\n`]
      .filter((part) => part !== '')
      .join('\n\n'),
    html: wrapHtml(markup`<ul>${htmlItems}</ul><p>${moreText}</p>
${renderFooter(reasonText, unsubscribeUrl, 'Unsubscribe from all of these')}`),
    headers: { 'Auto-Submitted': 'auto-generated', ...buildUnsubscribeHeaders(unsubscribeUrl) },
  };
}

function getUnsubscribeClaim(mail: StoredMail): UnsubscribeClaim {
  const { type, id } = toUnsubscribableTarget(mail);
  return { target: type, id, userId: mail.recipient_id };
}

const REASON_TEXTS: Readonly<Record<MailReason | 'other', string>> = {
  assigned: 'You receive this because it is assigned to you.',
  review_requested: 'You receive this because your review is requested.',
  mentioned: 'You receive this because you were mentioned.',
  subscribed: 'You receive this because you are subscribed to it.',
  other: 'You receive this because of your notification settings.',
};

function buildUnsubscribeUrl({ baseUrl, key }: ComposeContext, claim: UnsubscribeClaim): string {
  return `${baseUrl}/-/sent_notifications/${createUnsubscribeToken(key, claim)}/unsubscribe`;
}

/** One-click unsubscribe headers (RFC 8058). */
const buildUnsubscribeHeaders = (unsubscribeUrl: string) => ({
  'List-Unsubscribe': `<${unsubscribeUrl}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

function buildReasonHeader(reason: MailReason | null): Record<string, string> {
  return reason === null ? {} : { 'X-GitLab-NotificationReason': reason };
}

/** Maximum length of a project path in headers. */
const MAX_PATH_LENGTH = 1_000;

function buildMailHeaders(
  { event, container, noteable, commit, pipeline }: MailSubject,
  baseUrl: string,
): Record<string, string> {
  const { project, group, fullPath, name } = container;
  const { id } = (project ?? group)!;
  const path = toHeaderLine(fullPath, MAX_PATH_LENGTH);
  return {
    'Auto-Submitted': 'auto-generated',
    'List-Id': `${toAscii(path)} <${buildListId(id, fullPath, getUrlHost(baseUrl))}>`,
    ...(project === null
      ? {}
      : { 'X-GitLab-Project': toHeaderLine(name), 'X-GitLab-Project-Id': String(id), 'X-GitLab-Project-Path': path }),
    ...(noteable === null ? {} : buildNoteableHeaders(noteable)),
    ...(commit === null ? {} : { 'X-GitLab-Commit-ID': commit.sha }),
    ...(pipeline === null ? {} : buildPipelineHeaders(event, pipeline)),
  };
}

function buildNoteableHeaders({ resource, iid }: NonNullable<MailSubject['noteable']>): Record<string, string> {
  const { headerName } = NOTEABLE_WORDS[resource.type];
  return { [`X-GitLab-${headerName}-ID`]: String(resource.id), [`X-GitLab-${headerName}-IID`]: String(iid) };
}

function buildPipelineHeaders(event: MailEvent, { id, ref }: PipelineRow): Record<string, string> {
  return {
    'X-GitLab-Pipeline-Id': String(id),
    'X-GitLab-Pipeline-Ref': toHeaderLine(ref),
    'X-GitLab-Pipeline-Status': event === 'failed_pipeline' ? 'failed' : 'success',
  };
}

/** Replaces characters that mail programs may fail to parse in the phrase of a List-Id. */
const toAscii = (text: string) => text.replace(/[^\x21-\x7e]/g, '-');

function renderContent(content: string): Markup | null {
  return content === '' ? null : markup`<div style="white-space:pre-wrap">${content}</div>`;
}

function renderFooter(reasonText: string, unsubscribeUrl: string, label: string): Markup {
  return markup`<p style="font-size:small">${reasonText} <a href="${unsubscribeUrl}">${label}</a></p>`;
}

function wrapHtml(main: Markup): string {
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"></head><body>${main}</body></html>
`.text;
}
