/** Counters of iids in projects and groups. */
export interface IidsTables {
  iid_counters: IidCountersTable;
}

export type IidKind =
  | 'issue'
  | 'merge_request'
  | 'milestone'
  | 'epic'
  | 'iteration'
  | 'pipeline'
  | 'deployment'
  | 'alert';

/** Exactly one of `project_id` and `group_id` is set. */
interface IidCountersTable {
  project_id: number | null;
  group_id: number | null;
  kind: IidKind;
  /** The highest assigned iid; iids are never reused. */
  last: number;
}
