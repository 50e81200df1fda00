import { type Selectable, type SqlBool, sql } from 'kysely';
import { type Resource, resourceOfRow, tableOf } from '#activity/index.ts';
import { findPipelines, type PipelineRow } from '#authorization/pipelines.ts';
import type { Reader, Schema } from '#database/database.ts';
import type { MailEvent, MailTarget } from '#database/tables/mail.ts';
import type { Occurrence } from '#events/mail-occurrences.ts';
import { FIRST } from '../content/texts.ts';
import { usersNamedIn } from '../recipients/mentioned-users.ts';
import { findToldAlert, type ToldAlert } from './alert.ts';
import { type Place, projectPlace } from './container.ts';
import { findTold, type Told } from './noteable.ts';

/** What users may be told of, as it stands now, without its texts. */
export interface Matter {
  readonly event: MailEvent;
  readonly place: Place;
  readonly target: { readonly type: MailTarget; readonly id: number };
  /** null: a pipeline, an alert, or the project itself. */
  readonly told: Told | null;
  readonly pipeline: PipelineRow | null;
  readonly alert: ToldAlert | null;
  readonly resource: Resource | null;
  readonly note: Comment | null;
  readonly authorId: number | null;
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
}

/** The same at the time when it is told of. */
export interface FreshMatter extends Matter {
  /** The new text, of a comment or of what begins; else empty. */
  readonly text: string;
  /** Whom the new text addresses. */
  readonly mentioned: readonly number[];
  /** They, and who has it or had it of what is given to others. */
  readonly named: readonly number[];
}

type Comment = Pick<Selectable<Schema['notes']>, 'id' | 'internal' | Thing>;
type Thing = 'issue_id' | 'merge_request_id' | 'epic_id';

/** Of what is said on commits nobody is told. index: notes primary key */
async function findComment(db: Reader, id: number): Promise<Comment | null> {
  const row = await db
    .selectFrom('notes')
    .select(['id', 'internal', 'issue_id', 'merge_request_id', 'epic_id'])
    .where('id', '=', id)
    .where('commented_commit_id', 'is', null)
    .executeTakeFirst();
  return row ?? null;
}

/** null: it is gone. */
export async function readMatter(db: Reader, { event, about }: Occurrence): Promise<Matter | null> {
  if (about.type === 'Project') return projectMatter(db, event, about.id);
  if (about.type === 'Pipeline') return pipelineMatter(db, event, about.id);
  if (about.type === 'Alert') return alertMatter(db, event, about.id);
  const note = about.type === 'Note' ? await findComment(db, about.id) : null;
  if (about.type === 'Note' && note === null) return null;
  const resource = note === null ? (about as Resource) : resourceOfRow(note);
  const told = await findTold(db, resource);
  if (told === null) return null;
  return {
    event,
    place: told.place,
    target: resource,
    told,
    pipeline: null,
    alert: null,
    resource,
    note,
    authorId: told.authorId,
    assignees: told.assignees,
    reviewers: told.reviewers,
  };
}

/** The same with what is new in it; null: it is gone. */
export async function readFreshMatter(db: Reader, occurrence: Occurrence): Promise<FreshMatter | null> {
  const matter = await readMatter(db, occurrence);
  if (matter === null) return null;
  const { event, told } = matter;
  const text = await newTextOf(db, matter);
  // Whom the words of a CI file or an alert name, nobody addresses.
  const mentioned = matter.pipeline === null && matter.alert === null ? await usersNamedIn(db, text) : [];
  const given = told === null ? [] : givenTo(event, told);
  return { ...matter, text, mentioned, named: [...mentioned, ...(occurrence.former ?? []), ...given] };
}

/** index: notes primary key, issues primary key, merge_requests primary key, epics primary key */
async function newTextOf(db: Reader, { event, note, resource, pipeline, alert }: Matter): Promise<string> {
  if (alert !== null) return alert.description ?? '';
  if (pipeline !== null) return event === 'failed_pipeline' ? whatFailed(db, pipeline) : '';
  if (note !== null) {
    const row = await db.selectFrom('notes').select('body').where('id', '=', note.id).executeTakeFirst();
    return row?.body ?? '';
  }
  if (resource === null || !FIRST.includes(event)) return '';
  const things = db.selectFrom(tableOf(resource.type)).select('description').where('id', '=', resource.id);
  return (await things.executeTakeFirst())?.description ?? '';
}

/** Whom it is given to now, of an event that tells of that. */
export function givenTo(event: MailEvent, { assignees, reviewers }: Told): readonly number[] {
  if (event === 'reassign_issue' || event === 'reassign_merge_request') return assignees;
  return event === 'change_reviewer_merge_request' ? reviewers : [];
}

async function projectMatter(db: Reader, event: MailEvent, id: number): Promise<Matter | null> {
  const place = await projectPlace(db, id);
  return place === null ? null : { ...ALONE, event, place, target: { type: 'Project', id } };
}

async function pipelineMatter(db: Reader, event: MailEvent, id: number): Promise<Matter | null> {
  const [pipeline] = await findPipelines(db, [id]);
  const place = pipeline && (await projectPlace(db, pipeline.project_id));
  return place ? { ...ALONE, event, place, target: { type: 'Pipeline', id }, pipeline } : null;
}

async function alertMatter(db: Reader, event: MailEvent, id: number): Promise<Matter | null> {
  const alert = await findToldAlert(db, id);
  const place = alert && (await projectPlace(db, alert.project_id));
  return place ? { ...ALONE, event, place, target: { type: 'Alert', id }, alert } : null;
}

/** Nobody has written it, and nobody has it. */
const ALONE = {
  told: null,
  pipeline: null,
  alert: null,
  resource: null,
  note: null,
  authorId: null,
  assignees: [],
  reviewers: [],
} as const;

/** So many jobs are named. */
const MOST_JOBS = 50;

/** Why the pipeline has failed, a line for a job or posted status. index: jobs_latest_by_name, commit_statuses_latest_by_status */
async function whatFailed(db: Reader, { id, yaml_errors }: PipelineRow): Promise<string> {
  if (yaml_errors !== null) return yaml_errors;
  const posted = db
    .selectFrom('commit_statuses')
    .select(['name', sql<string>`'external'`.as('stage')])
    .where('pipeline_id', '=', id)
    .where(sql<SqlBool>`not retried`)
    .where('status', '=', 'failed');
  const jobs = await db
    .selectFrom('jobs')
    .select(['name', 'stage'])
    .where('pipeline_id', '=', id)
    .where(sql<SqlBool>`not retried`)
    .where('status', '=', 'failed')
    .where('allow_failure', '=', false)
    .unionAll(posted)
    .orderBy('name')
    .limit(MOST_JOBS)
    .execute();
  return jobs.map(({ name, stage }) => `${stage}: ${name}`).join('\n');
}
