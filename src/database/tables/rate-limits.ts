/** Request counts of the current period of a limit: one row per limit and subject. */
interface LimitCountsTable {
  /** The limit's name and subject, such as `users_get_by_id:42`. */
  key: string;
  /** Number of the period: Unix seconds divided by the length of a period. */
  period: number;
  count: number;
  /** When the period ends. */
  ends_at: string;
}

export interface LimitsTables {
  limit_counts: LimitCountsTable;
}
