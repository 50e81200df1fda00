import type { Selectable } from 'kysely';
import type { Reader, Schema } from '../../../database/database.ts';
import type { MailTarget } from '../../../database/tables/mail.ts';
import type { EmailEvent } from '../../../database/tables/notifications.ts';
import type { Occurrence } from '../../../facts/occurrences.ts';
import { type Resource, resourceOfRow } from '../../../history/index.ts';
import { usersNamedIn } from './names.ts';
import { type Place, projectPlace } from './place.ts';
import { FIRST } from './texts.ts';
import { findTold, type Told } from './things.ts';

/** What users may be told of, as it stands now. */
export interface Matter {
  readonly event: EmailEvent;
  readonly place: Place;
  readonly target: { readonly type: MailTarget; readonly id: number };
  /** null: the project itself. */
  readonly told: Told | null;
  readonly resource: Resource | null;
  readonly note: Comment | null;
  readonly authorId: number | null;
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  /** Whom the new text addresses. */
  readonly mentioned: readonly number[];
  /** They, and who has it or had it of what is given to others. */
  readonly named: readonly number[];
}

type Comment = Pick<
  Selectable<Schema['notes']>,
  'id' | 'body' | 'internal' | 'issue_id' | 'merge_request_id' | 'epic_id'
>;

/** index: notes primary key */
async function findComment(db: Reader, id: number): Promise<Comment | null> {
  const row = await db
    .selectFrom('notes')
    .select(['id', 'body', 'internal', 'issue_id', 'merge_request_id', 'epic_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** null: it is gone. */
export async function readMatter(db: Reader, { event, about, former = [] }: Occurrence): Promise<Matter | null> {
  if (about.type === 'Project') return projectMatter(db, event, about.id);
  const note = about.type === 'Note' ? await findComment(db, about.id) : null;
  if (about.type === 'Note' && note === null) return null;
  const resource = note === null ? (about as Resource) : resourceOfRow(note);
  const told = await findTold(db, resource);
  if (told === null) return null;
  const mentioned = await usersNamedIn(db, note?.body ?? (FIRST.includes(event) ? (told.description ?? '') : ''));
  return {
    event,
    place: told.place,
    target: resource,
    told,
    resource,
    note,
    authorId: told.authorId,
    assignees: told.assignees,
    reviewers: told.reviewers,
    mentioned,
    named: [...mentioned, ...former, ...givenTo(event, told)],
  };
}

/** Whom it is given to now, of an event that tells of that. */
export function givenTo(event: EmailEvent, { assignees, reviewers }: Told): readonly number[] {
  if (event === 'reassign_issue' || event === 'reassign_merge_request') return assignees;
  return event === 'change_reviewer_merge_request' ? reviewers : [];
}

async function projectMatter(db: Reader, event: EmailEvent, id: number): Promise<Matter | null> {
  const place = await projectPlace(db, id);
  if (place === null) return null;
  return {
    event,
    place,
    target: { type: 'Project', id },
    told: null,
    resource: null,
    note: null,
    authorId: null,
    assignees: [],
    reviewers: [],
    mentioned: [],
    named: [],
  };
}
