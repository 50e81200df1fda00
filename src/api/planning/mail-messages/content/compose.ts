import type { KeyObject } from 'node:crypto';
import type { PipelineRow } from '#authorization/pipelines.ts';
import type { MailEvent, MailReason } from '#database/tables/mail.ts';
import { type Markup, markup } from '#http/pages/html-page.ts';
import { hostOf, listId, messageId, oneLine } from '#mail/header-text.ts';
import type { Mail } from '#mail/mailer.ts';
import { type Leaving, leavingToken } from '#mail/unsubscribe-link.ts';
import type { MailRow } from '../store.ts';
import { WORDS } from '../subjects/noteable.ts';
import type { Matter } from '../subjects/subject.ts';

/** A mail as it is written down, with what all of its occurrence say but for the content. */
export type StoredMail = MailRow & {
  readonly note_id: number | null;
  readonly lead: string;
  readonly path: string;
};

/** By what mails are made: the addresses that they name, and the signature of their links. */
interface Writing {
  /** Of the addresses. */
  readonly base: string;
  readonly key: KeyObject;
  readonly date: Date;
}

/** The mail that tells of one occurrence. */
export function mailOf(writing: Writing, stored: StoredMail, content: string, matter: Matter): Mail {
  const { base } = writing;
  const url = base + stored.path;
  const leave = leaveLink(writing, leavingOf(stored));
  const why = WHY[stored.reason ?? 'other'];
  return {
    to: stored.recipient_email,
    subject: stored.subject,
    messageId: stored.message_id,
    inReplyTo: stored.in_reply_to,
    date: writing.date,
    text: [stored.lead, content, `-- \n${why}\nSee it: ${url}\nHear no more of it: ${leave}\n`]
      .filter((part) => part !== '')
      .join('\n\n'),
    html: htmlOf(markup`<p>${stored.lead}</p>${contentOf(content)}
<p><a href="${url}">See it</a></p>
${footer(why, leave, 'Hear no more of it')}`),
    headers: { ...headersOf(matter, base), ...reasonHeader(stored.reason), ...leavingHeaders(leave) },
  };
}

/** So many are named in a digest; it tells how many more there are. */
const NAMED = 100;

/** Of a digest that leaves: no other has its first mail, whatever they have waited for together. */
export const digestIdOf = (all: readonly StoredMail[]): number => Math.min(...all.map(({ id }) => id));

/** One mail for all that were too many for their address. */
export function digestOf(writing: Writing, all: readonly StoredMail[]): Mail {
  const [first] = all as readonly [StoredMail, ...StoredMail[]];
  const { base } = writing;
  const id = digestIdOf(all);
  const leave = leaveLink(writing, { what: 'Digest', id, userId: first.recipient_id });
  const named = all.slice(0, NAMED);
  const more = all.length > named.length ? `and ${all.length - named.length} more` : '';
  const why = 'More has happened than an hour of mails can tell, so that it is put together here.';
  const lines = named.map(({ subject, lead, path }) => `${subject}\n${lead}\n${base + path}`);
  const items = named.map(
    ({ subject, lead, path }) => markup`<li><a href="${base + path}">${subject}</a><br>${lead}</li>`,
  );
  return {
    to: first.recipient_email,
    subject: `${all.length} notifications`,
    messageId: messageId(`digest_${id}`, hostOf(base)),
    inReplyTo: null,
    date: writing.date,
    text: [...lines, more, `-- \n${why}\nHear no more of all this: ${leave}\n`]
      .filter((part) => part !== '')
      .join('\n\n'),
    html: htmlOf(markup`<ul>${items}</ul><p>${more}</p>
${footer(why, leave, 'Hear no more of all this')}`),
    headers: { 'Auto-Submitted': 'auto-generated', ...leavingHeaders(leave) },
  };
}

/** Of pipelines and alerts one hears no more with all else of their project. */
function leavingOf({ target_type, target_id, project_id, recipient_id: userId }: StoredMail): Leaving {
  return target_type === 'Pipeline' || target_type === 'Alert'
    ? { what: 'Project', id: project_id!, userId }
    : { what: target_type, id: target_id, userId };
}

const WHY: Readonly<Record<MailReason | 'other', string>> = {
  assigned: 'You are told of this because it is assigned to you.',
  review_requested: 'You are told of this because you are asked to review it.',
  mentioned: 'You are told of this because you were mentioned.',
  subscribed: 'You are told of this because you have subscribed to it.',
  other: 'You are told of this because of your notification settings.',
};

function leaveLink({ base, key }: Writing, leaving: Leaving): string {
  return `${base}/-/sent_notifications/${leavingToken(key, leaving)}/unsubscribe`;
}

/** RFC 8058: mail programs end it with one click, and without a page. */
const leavingHeaders = (link: string) => ({
  'List-Unsubscribe': `<${link}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

function reasonHeader(reason: MailReason | null): Record<string, string> {
  return reason === null ? {} : { 'X-GitLab-NotificationReason': reason };
}

function headersOf({ event, place, told, pipeline }: Matter, base: string): Record<string, string> {
  const { project, group, fullPath, name } = place;
  const { id } = (project ?? group)!;
  const path = oneLine(fullPath, 1_000);
  return {
    'Auto-Submitted': 'auto-generated',
    'List-Id': `${inAscii(path)} <${listId(id, fullPath, hostOf(base))}>`,
    ...(project === null
      ? {}
      : { 'X-GitLab-Project': oneLine(name), 'X-GitLab-Project-Id': String(id), 'X-GitLab-Project-Path': path }),
    ...(told === null ? {} : thingHeaders(told)),
    ...(pipeline === null ? {} : pipelineHeaders(event, pipeline)),
  };
}

function thingHeaders({ resource, iid }: NonNullable<Matter['told']>): Record<string, string> {
  const { header } = WORDS[resource.type];
  return { [`X-GitLab-${header}-ID`]: String(resource.id), [`X-GitLab-${header}-IID`]: String(iid) };
}

function pipelineHeaders(event: MailEvent, { id, ref }: PipelineRow): Record<string, string> {
  return {
    'X-GitLab-Pipeline-Id': String(id),
    'X-GitLab-Pipeline-Ref': oneLine(ref),
    'X-GitLab-Pipeline-Status': event === 'failed_pipeline' ? 'failed' : 'success',
  };
}

/** Paths have no others; what stands before the brackets of a List-Id is read by programs. */
const inAscii = (text: string) => text.replace(/[^\x21-\x7e]/g, '-');

function contentOf(content: string): Markup | null {
  return content === '' ? null : markup`<div style="white-space:pre-wrap">${content}</div>`;
}

function footer(why: string, leave: string, said: string): Markup {
  return markup`<p style="font-size:small">${why} <a href="${leave}">${said}</a></p>`;
}

function htmlOf(main: Markup): string {
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"></head><body>${main}</body></html>
`.text;
}
