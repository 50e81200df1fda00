import type { ResourceType } from '#activity/index.ts';
import type { Place } from '#domain/namespaces/scope.ts';

/** What quick actions are done on, as they leave it one after the other. */

export interface Labelled {
  readonly id: number;
  readonly title: string;
}

/** What of a thing they change. */
export interface Moment {
  readonly state: string;
  readonly title: string;
  readonly labels: readonly Labelled[];
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  readonly milestone_id: number | null;
  readonly due_date: string | null;
  readonly weight: number | null;
  /** Undefined: as it is, which nobody has looked up. */
  readonly epic_id?: number | null;
  readonly confidential: boolean;
  readonly discussion_locked: boolean | null;
  readonly time_estimate: number;
  readonly total_time_spent: number;
}

/** As a thing begins that is being made. */
export const BEGINNING: Omit<Moment, 'title'> = {
  state: 'opened',
  labels: [],
  assignees: [],
  reviewers: [],
  milestone_id: null,
  due_date: null,
  weight: null,
  epic_id: null,
  confidential: false,
  discussion_locked: null,
  time_estimate: 0,
  total_time_spent: 0,
};

export interface Subject {
  readonly type: ResourceType;
  readonly place: Place;
  /** Null: it is being made. */
  readonly thing: { readonly id: number; readonly author_id: number; readonly assigned?: 0 | 1 } | null;
  /** Texts and state. */
  readonly mayUpdate: boolean;
  /** All else that members set. */
  readonly mayManage: boolean;
  /** Its times. */
  readonly mayTime: boolean;
  /** Of these users those who may read it. */
  readonly readers: (ids: readonly number[]) => Promise<readonly number[]>;
  readonly now: Moment;
}

/** What a change of a thing has in common with what PUT takes. */
export interface Wish {
  readonly state_event?: 'close' | 'reopen';
  readonly title?: string;
  readonly labels?: string[];
  readonly assignee_ids?: number[];
  readonly reviewer_ids?: number[];
  readonly milestone_id?: number | null;
  readonly due_date?: string | null;
  readonly weight?: number | null;
  readonly epic_id?: number | null;
  readonly confidential?: boolean;
  readonly discussion_locked?: boolean;
}
