/** What one thing can have of notes; only Hearth says more. */
export const MOST_NOTES = 5_000;

/** What a note says, whatever it is on. */
export const saidColumns = [
  'discussion_id',
  'type',
  'author_id',
  'body',
  'system',
  'kind',
  'mentioning_issue_id',
  'mentioning_merge_request_id',
  'mentioning_epic_id',
  'internal',
  'resolved_at',
  'resolved_by_id',
  'position',
  'commit_sha',
  'imported_from',
  'created_at',
  'updated_at',
] as const;

/** A whole note. */
export const noteColumns = [
  'id',
  'issue_id',
  'merge_request_id',
  'epic_id',
  'commented_commit_id',
  ...saidColumns,
] as const;
