/** Request counts of the current period of a limit: one row per limit and subject. */
interface LimitCountsTable {
  /** The limit's name and its subject: `users_get_by_id:42`. */
  key: string;
  /** The period's number: unix seconds divided by its length. */
  period: number;
  count: number;
  /** When the period ends. */
  ends_at: string;
}

export interface LimitsTables {
  limit_counts: LimitCountsTable;
}
