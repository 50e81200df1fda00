import type { PipelineRow } from '#authorization/pipelines.ts';
import type { MailEvent } from '#database/schema.ts';
import { buildAlertPath } from '#domain/namespaces/routes.ts';
import { toHeaderLine } from '#mail/mailer.ts';
import type { MailContainer } from '../subjects/container.ts';
import {
  type AlertSubject,
  abbreviateSha,
  type CommitSubject,
  NOTEABLE_WORDS,
  type NoteableSubject,
} from '../subjects/noteable.ts';

// Texts of mails (contract/activity.md Part 5 "Messages"): in English, with user content unchanged.

/** The texts that all mails of one event share. */
interface MailText {
  /** The first sentence of the mail. */
  readonly lead: string;
  readonly content: string;
  /** Path of the link, relative to the base URL. */
  readonly path: string;
  readonly subject: string;
}

interface MailTextInput {
  readonly event: MailEvent;
  readonly container: MailContainer;
  /** At most one of the following four is set; all are null if a project was moved. */
  readonly noteable: NoteableSubject | null;
  readonly commit: CommitSubject | null;
  readonly pipeline: PipelineRow | null;
  readonly alert: AlertSubject | null;
  /** Name of the acting user; null if none. */
  readonly actor: string | null;
  /** The comment that the event is about; null for other events. */
  readonly note: { readonly id: number } | null;
  /** The new text, of any length. */
  readonly content: string;
  /** Names of the new assignees or reviewers. */
  readonly assignedNames: readonly string[];
}

/** Maximum size of the content in bytes; longer texts are truncated with a notice. */
const MAX_CONTENT_BYTES = 64 * 1_024;

const MAX_LEAD_LENGTH = 500;

/** Composes the texts that all mails of the event share. */
export function composeText(input: MailTextInput): MailText {
  const { note } = input;
  const path = buildTargetPath(input);
  return {
    lead: toHeaderLine(composeLead(input), MAX_LEAD_LENGTH),
    content: truncate(input.content),
    path: note === null ? path : `${path}#note_${note.id}`,
    subject: composeSubject(input),
  };
}

/** Events whose mail starts a thread; all other mails about a noteable are replies to it. */
export const THREAD_STARTING_EVENTS: readonly MailEvent[] = ['new_issue', 'new_merge_request', 'new_epic'];

function composeSubject({ event, container, noteable, commit, pipeline, alert }: MailTextInput): string {
  const name = toHeaderLine(container.name);
  if (pipeline !== null)
    return `${name} | ${PIPELINE_OUTCOMES[event]?.word} pipeline for ${toHeaderLine(pipeline.ref)} (#${pipeline.id})`;
  if (alert !== null) return `${name} | Alert: ${toHeaderLine(alert.title)}`;
  if (commit !== null) return `Re: ${name} | ${toHeaderLine(commit.title)} (${abbreviateSha(commit.sha)})`;
  if (noteable === null) return `${name} | Project was moved`;
  const { referencePrefix } = NOTEABLE_WORDS[noteable.resource.type];
  const prefix = THREAD_STARTING_EVENTS.includes(event) ? '' : 'Re: ';
  return `${prefix}${name} | ${toHeaderLine(noteable.title)} (${referencePrefix}${noteable.iid})`;
}

function buildTargetPath({ container: { fullPath, group }, noteable, commit, pipeline, alert }: MailTextInput): string {
  if (pipeline !== null) return `/${fullPath}/-/pipelines/${pipeline.id}`;
  if (alert !== null) return buildAlertPath(fullPath, alert.iid);
  if (commit !== null) return `/${fullPath}/-/commit/${commit.sha}`;
  const containerPath = group === null ? `/${fullPath}` : `/groups/${fullPath}`;
  return noteable === null
    ? containerPath
    : `${containerPath}/-/${NOTEABLE_WORDS[noteable.resource.type].pathSegment}/${noteable.iid}`;
}

/** Words and phrases for the outcomes of pipelines. */
const PIPELINE_OUTCOMES: { readonly [Event in MailEvent]?: { readonly word: string; readonly phrase: string } } = {
  failed_pipeline: { word: 'Failed', phrase: 'has failed.' },
  fixed_pipeline: { word: 'Fixed', phrase: 'has succeeded after a failure.' },
  success_pipeline: { word: 'Successful', phrase: 'has succeeded.' },
};

function composeLead({
  event,
  container,
  noteable,
  commit,
  pipeline,
  alert,
  actor,
  assignedNames,
}: MailTextInput): string {
  if (pipeline !== null) return `Pipeline #${pipeline.id} of ${pipeline.ref} ${PIPELINE_OUTCOMES[event]?.phrase}`;
  if (alert !== null) {
    const outcome = event === 'alert_resolved' ? 'has been resolved' : 'has been triggered';
    return `An alert of ${container.fullPath} ${outcome}: ${alert.title}`;
  }
  const actorName = actor ?? 'Somebody';
  if (commit !== null) return `${actorName} commented on commit ${abbreviateSha(commit.sha)}:`;
  if (noteable === null) return `${actorName} moved the project to ${container.fullPath}.`;
  const { noun, referencePrefix } = NOTEABLE_WORDS[noteable.resource.type];
  const reference = `${noun} ${referencePrefix}${noteable.iid}`;
  const names = assignedNames.length === 0 ? 'nobody' : assignedNames.join(', ');
  const phrasesByEvent: { readonly [Event in MailEvent]?: string } = {
    new_issue: `${actorName} created ${reference}: ${noteable.title}`,
    new_epic: `${actorName} created ${reference}: ${noteable.title}`,
    new_merge_request: `${actorName} created ${reference}: ${noteable.title}`,
    new_note: `${actorName} commented on ${reference}:`,
    close_issue: `${actorName} closed ${reference}.`,
    close_merge_request: `${actorName} closed ${reference}.`,
    reopen_issue: `${actorName} reopened ${reference}.`,
    reopen_merge_request: `${actorName} reopened ${reference}.`,
    merge_merge_request: `${actorName} merged ${reference}.`,
    reassign_issue: `${actorName} assigned ${reference} to ${names}.`,
    reassign_merge_request: `${actorName} assigned ${reference} to ${names}.`,
    change_reviewer_merge_request: `${actorName} asked ${names} to review ${reference}.`,
    push_to_merge_request: `${actorName} pushed new commits to ${reference}.`,
    merge_when_pipeline_succeeds: `${actorName} set ${reference} to be merged when its pipeline succeeds.`,
    // The reference begins the sentence.
    issue_due: `${reference} is due on ${noteable.dueDate}.`.replace('issue', 'Issue'),
  };
  return phrasesByEvent[event] ?? `${actorName} changed ${reference}.`;
}

/** Truncates a text to `MAX_CONTENT_BYTES`, at the end of a word or line if possible and never inside a character. */
function truncate(text: string): string {
  if (Buffer.byteLength(text) <= MAX_CONTENT_BYTES) return text.toWellFormed();
  const start = new TextDecoder().decode(Buffer.from(text).subarray(0, MAX_CONTENT_BYTES)).replace(/\ufffd$/, '');
  const end = Math.max(start.lastIndexOf('\n'), start.lastIndexOf(' '));
  const shortenedText = end > start.length / 2 ? start.slice(0, end) : start;
  return `${shortenedText}\n\n[The rest of this text is left out: it exceeds the maximum length of a mail.]`;
}
