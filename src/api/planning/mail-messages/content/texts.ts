import type { PipelineRow } from '#authorization/pipelines.ts';
import type { MailEvent } from '#database/tables/mail.ts';
import { alertPath } from '#domain/alert-path.ts';
import { oneLine } from '#mail/header-text.ts';
import type { ToldAlert } from '../subjects/alert.ts';
import type { Place } from '../subjects/container.ts';
import { type Told, WORDS } from '../subjects/noteable.ts';

/** What mails say (contract/activity.md Part 5 "Messages"): in English, texts of users as they were written. */

/** What all mails of an occurrence have in common. */
export interface Text {
  readonly lead: string;
  readonly content: string;
  /** Below the server's address. */
  readonly path: string;
  readonly subject: string;
}

interface About {
  readonly event: MailEvent;
  readonly place: Place;
  readonly told: Told | null;
  readonly pipeline: PipelineRow | null;
  readonly alert: ToldAlert | null;
  /** Who did it; null: nobody. */
  readonly actor: string | null;
  /** Of a comment. */
  readonly note: { readonly id: number } | null;
  /** What is new to read, however long. */
  readonly content: string;
  /** The names of those whom it is given to, of what is given to others. */
  readonly given: readonly string[];
}

/** Bytes of a text in a mail: longer ones are cut, and say so. */
const LONGEST_CONTENT = 64 * 1_024;

export function textOf(about: About): Text {
  const { note } = about;
  const path = pathOf(about);
  return {
    lead: oneLine(leadOf(about), 500),
    content: cut(about.content),
    path: note === null ? path : `${path}#note_${note.id}`,
    subject: subjectOf(about),
  };
}

/** What begins a conversation; all else answers it. */
export const FIRST: readonly MailEvent[] = ['new_issue', 'new_merge_request', 'new_epic'];

function subjectOf({ event, place, told, pipeline, alert }: About): string {
  const name = oneLine(place.name);
  if (pipeline !== null)
    return `${name} | ${ENDS[event]?.called} pipeline for ${oneLine(pipeline.ref)} (#${pipeline.id})`;
  if (alert !== null) return `${name} | Alert: ${oneLine(alert.title)}`;
  if (told === null) return `${name} | Project was moved`;
  const { sign } = WORDS[told.resource.type];
  const answers = FIRST.includes(event) ? '' : 'Re: ';
  return `${answers}${name} | ${oneLine(told.title)} (${sign}${told.iid})`;
}

function pathOf({ place: { fullPath, group }, told, pipeline, alert }: About): string {
  if (pipeline !== null) return `/${fullPath}/-/pipelines/${pipeline.id}`;
  if (alert !== null) return alertPath(fullPath, alert.iid);
  const at = group === null ? `/${fullPath}` : `/groups/${fullPath}`;
  return told === null ? at : `${at}/-/${WORDS[told.resource.type].folder}/${told.iid}`;
}

/** How a pipeline has ended. */
const ENDS: { readonly [Event in MailEvent]?: { readonly called: string; readonly said: string } } = {
  failed_pipeline: { called: 'Failed', said: 'has failed.' },
  fixed_pipeline: { called: 'Fixed', said: 'has succeeded: what had failed before is mended.' },
  success_pipeline: { called: 'Successful', said: 'has succeeded.' },
};

function leadOf({ event, place, told, pipeline, alert, actor, given }: About): string {
  if (pipeline !== null) return `Pipeline #${pipeline.id} of ${pipeline.ref} ${ENDS[event]?.said}`;
  if (alert !== null) {
    const what = event === 'alert_resolved' ? 'has been resolved' : 'has been triggered';
    return `An alert of ${place.fullPath} ${what}: ${alert.title}`;
  }
  const who = actor ?? 'Somebody';
  if (told === null) return `${who} moved the project to ${place.fullPath}.`;
  const { called, sign } = WORDS[told.resource.type];
  const it = `${called} ${sign}${told.iid}`;
  const names = given.length === 0 ? 'nobody' : given.join(', ');
  const said: { readonly [Event in MailEvent]?: string } = {
    new_issue: `${who} created ${it}: ${told.title}`,
    new_epic: `${who} created ${it}: ${told.title}`,
    new_merge_request: `${who} created ${it}: ${told.title}`,
    new_note: `${who} commented on ${it}:`,
    close_issue: `${who} closed ${it}.`,
    close_merge_request: `${who} closed ${it}.`,
    reopen_issue: `${who} reopened ${it}.`,
    reopen_merge_request: `${who} reopened ${it}.`,
    merge_merge_request: `${who} merged ${it}.`,
    reassign_issue: `${who} assigned ${it} to ${names}.`,
    reassign_merge_request: `${who} assigned ${it} to ${names}.`,
    change_reviewer_merge_request: `${who} asked ${names} to review ${it}.`,
    push_to_merge_request: `${who} pushed new commits to ${it}.`,
    merge_when_pipeline_succeeds: `${who} set ${it} to be merged when its pipeline succeeds.`,
    issue_due: `${it} is due on ${told.dueDate}.`.replace('issue', 'Issue'),
  };
  return said[event] ?? `${who} changed ${it}.`;
}

/** At the end of a word or line where there is one, and never within a character. */
function cut(text: string): string {
  if (Buffer.byteLength(text) <= LONGEST_CONTENT) return text.toWellFormed();
  const some = new TextDecoder().decode(Buffer.from(text).subarray(0, LONGEST_CONTENT)).replace(/\ufffd$/, '');
  const end = Math.max(some.lastIndexOf('\n'), some.lastIndexOf(' '));
  const kept = end > some.length / 2 ? some.slice(0, end) : some;
  return `${kept}\n\n[The rest of this text is left out: it is longer than a mail may be.]`;
}
