import type { Resource, ResourceType } from '#activity/index.ts';
import { assigneesOf, ISSUES, type Kind, MERGE_REQUESTS, REVIEWED } from '#api/planning/issuables/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findListedEpics, mayReadEpic } from '#authorization/epics.ts';
import { findListedIssues, mayReadIssue } from '#authorization/issues.ts';
import { findListedMergeRequests, mayReadMergeRequests } from '#authorization/merge-requests.ts';
import { groupReadersAmong, readersAmong } from '#authorization/readers.ts';
import type { Reader } from '#database/database.ts';
import { groupPlace, type Place, projectPlace } from './container.ts';

/** What mails tell of, whatever kind it is; without its description, which may be very long. */
export interface Told {
  readonly resource: Resource;
  readonly place: Place;
  readonly iid: number;
  readonly title: string;
  readonly authorId: number;
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  readonly dueDate: string | null;
  /** Of these users those who may read it now; `internal`: and what is said there for members only. */
  readonly readers: (db: Reader, userIds: readonly number[], internal: boolean) => Promise<readonly number[]>;
}

/** How each kind is called and written. */
export const WORDS = {
  Issue: { called: 'issue', sign: '#', folder: 'issues', header: 'Issue', name: 'issue' },
  MergeRequest: {
    called: 'merge request',
    sign: '!',
    folder: 'merge_requests',
    header: 'MergeRequest',
    name: 'merge_request',
  },
  Epic: { called: 'epic', sign: '&', folder: 'epics', header: 'Epic', name: 'epic' },
} as const satisfies Record<ResourceType, object>;

/** null: it is gone, or what it is in. */
export function findTold(db: Reader, { type, id }: Resource): Promise<Told | null> {
  return FIND[type](db, id);
}

const FIND: Readonly<Record<ResourceType, (db: Reader, id: number) => Promise<Told | null>>> = {
  async Issue(db, id) {
    const [issue] = await findListedIssues(db, ANONYMOUS, [id]);
    const place = issue && (await projectPlace(db, issue.project_id));
    if (!issue || !place?.project) return null;
    const { project } = place;
    const assignees = await peopleOf(db, ISSUES, id);
    return {
      ...partsOf('Issue', place, issue),
      assignees,
      reviewers: [],
      dueDate: issue.due_date,
      readers: (db, userIds, internal) =>
        readersAmong(db, project, userIds, (reader, seen) => {
          const assigned = assignees.includes(reader.user?.id ?? 0) ? 1 : 0;
          return mayReadIssue(reader, seen, { ...issue, assigned }) && mayHear(reader, seen, internal);
        }),
    };
  },
  async MergeRequest(db, id) {
    const [mergeRequest] = await findListedMergeRequests(db, ANONYMOUS, [id]);
    const place = mergeRequest && (await projectPlace(db, mergeRequest.project_id));
    if (!mergeRequest || !place?.project) return null;
    const { project } = place;
    return {
      ...partsOf('MergeRequest', place, mergeRequest),
      assignees: await peopleOf(db, MERGE_REQUESTS, id),
      reviewers: await peopleOf(db, REVIEWED, id),
      dueDate: null,
      readers: (db, userIds, internal) =>
        readersAmong(
          db,
          project,
          userIds,
          (reader, seen) => mayReadMergeRequests(reader, seen) && mayHear(reader, seen, internal),
        ),
    };
  },
  async Epic(db, id) {
    const [epic] = await findListedEpics(db, [id]);
    const place = epic && (await groupPlace(db, epic.group_id));
    if (!epic || !place?.group) return null;
    const { group } = place;
    return {
      ...partsOf('Epic', place, epic),
      assignees: [],
      reviewers: [],
      dueDate: null,
      readers: (db, userIds, internal) =>
        groupReadersAmong(db, group, userIds, (reader, seen) =>
          mayReadEpic(reader, seen, { confidential: epic.confidential || internal }),
        ),
    };
  },
};

const mayHear = (...[reader, project, internal]: [...Parameters<typeof mayReadMergeRequests>, boolean]) =>
  !internal || mayInProject(reader, 'read_internal_note', project);

interface Row {
  readonly id: number;
  readonly iid: number;
  readonly title: string;
  readonly author_id: number;
}

function partsOf(type: ResourceType, place: Place, { id, iid, title, author_id: authorId }: Row) {
  return { resource: { type, id }, place, iid, title, authorId };
}

async function peopleOf(db: Reader, kind: Kind, id: number): Promise<number[]> {
  return (await assigneesOf(db, kind, [id])).map(({ user_id }) => user_id);
}
