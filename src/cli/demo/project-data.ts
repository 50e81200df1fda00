// The types of the demo company's data for a year. The data itself is in `projects/`.

/** The six people of the company by username. */
export type PersonName = 'ingrid' | 'yuki' | 'samir' | 'pavel' | 'lucia' | 'greta';

/** Content by path. Null deletes a file. */
export type FileChanges = Readonly<Record<string, string | null>>;

export interface CommitData {
  readonly message: string;
  readonly files: FileChanges;
}

export interface IssueData {
  readonly title: string;
  readonly description: string;
  readonly author: PersonName;
  readonly labels: readonly string[];
  /** Comments in their order. */
  readonly comments?: readonly (readonly [PersonName, string])[];
}

/** A merge request from its issue to its merge. */
export interface ChangeData {
  /** Days after the start of the year, 4 to 364. The issue is some days older. */
  readonly day: number;
  readonly branch: string;
  readonly title: string;
  readonly author: PersonName;
  readonly reviewer: PersonName;
  readonly labels: readonly string[];
  readonly issue?: IssueData;
  readonly commits: readonly CommitData[];
  /** The comment of the reviewer, and the reply of the author. */
  readonly review?: readonly [comment: string, response: string];
  /** The tests of the first commit fail; the other commits correct that. */
  readonly failsFirst?: true;
  /** The state at the end of the year; `open`: in review. Default: merged. */
  readonly outcome?: 'open' | 'draft' | 'closed';
  /** The first deployment to staging fails; the job is retried. */
  readonly deploymentFails?: true;
  /** The tag of the release that follows, which is deployed to production. */
  readonly release?: string;
}

/** An issue without a merge request. */
export interface OpenIssueData extends IssueData {
  readonly day: number;
  readonly assignee?: PersonName;
  /** Days until it is closed. */
  readonly closedAfter?: number;
}

export interface ProjectData {
  readonly group: 'stoves' | 'online';
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly visibility: 'public' | 'internal' | 'private';
  readonly author: PersonName;
  /** The files of the first push. */
  readonly files: Readonly<Record<string, string>>;
  readonly changes: readonly ChangeData[];
  readonly issues: readonly OpenIssueData[];
}
