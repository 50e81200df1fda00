import { Type } from 'typebox';
import type { Reader } from '#database/database.ts';
import { paginate } from '#database/page.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable, page } from '#http/endpoint/responses.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

// Session counts by outcome (contract/monitoring.md §13).

const COLUMNS = ['release', 'environment', 'total', 'exited', 'errored', 'crashed', 'abnormal', 'last_seen'] as const;

const SessionCounts = entity('ErrorTrackingSessions', {
  release: Type.String(),
  environment: nullable(Type.String()),
  total: Type.Integer(),
  exited: Type.Integer(),
  errored: Type.Integer(),
  crashed: Type.Integer(),
  abnormal: Type.Integer(),
  last_seen: dateTime,
}).from(({ environment, ...counts }: SessionCountsRow) => ({
  ...counts,
  environment: environment === '' ? null : environment,
}));

type SessionCountsRow = Awaited<ReturnType<typeof listSessionCounts>>['items'][number];

/** Returns one page of session counts, ordered by release and environment. index: session_buckets primary key */
function listSessionCounts(db: Reader, projectId: number, page: OffsetRequest) {
  const query = db.selectFrom('session_buckets').select(COLUMNS).where('project_id', '=', projectId);
  return paginate(db, query.orderBy('release').orderBy('environment'), page);
}

export const listSessions = endpoint({
  get: '/projects/:id/error_tracking/sessions',
  summary: 'List session counts by release and environment',
  description:
    'Returns the sessions that SDKs reported, counted by outcome, ordered by release and environment. A session is counted once; its outcome follows the latest report.',
  access: inProject('read_sentry_issue'),
  response: page(SessionCounts),
  read: (db, { project, page }) => listSessionCounts(db, project.id, page),
});
