/** Maximum number of notes on one noteable; system notes may exceed it. */
export const MAX_NOTES_PER_NOTEABLE = 5_000;

/** Columns of a note without its noteable. */
export const noteContentColumns = [
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

/** All columns of a note. */
export const noteColumns = [
  'id',
  'issue_id',
  'merge_request_id',
  'epic_id',
  'commented_commit_id',
  'snippet_id',
  ...noteContentColumns,
] as const;
