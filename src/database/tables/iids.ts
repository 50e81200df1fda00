/** The numbers that the API counts in each project or group. */
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

/** Of one project or one group, the other is null. */
interface IidCountersTable {
  project_id: number | null;
  group_id: number | null;
  kind: IidKind;
  /** The highest that was given out; it stays when what had it is deleted. */
  last: number;
}
