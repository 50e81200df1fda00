import { Type } from 'typebox';
import { createTextLoader } from '#database/long-texts.ts';
import { entity } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable } from '#http/endpoint/responses.ts';
import { loadMilestonePaths, type MilestoneBasicRow } from './store.ts';

const loadDescriptions = createTextLoader('milestones', 'description');

/** A milestone (contract/planning.md §1 "Milestone"). */
export const Milestone = entity('Milestone', {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Optional(Type.Integer({ description: 'Present for project milestones.' })),
  group_id: Type.Optional(Type.Integer({ description: 'Present for group milestones.' })),
  title: Type.String(),
  description: nullable(Type.String()),
  state: Type.Enum(['active', 'closed']),
  created_at: dateTime,
  updated_at: dateTime,
  due_date: nullable(date),
  start_date: nullable(date),
  expired: Type.Boolean({ description: 'Whether the due date is before today.' }),
  web_url: Type.String(),
})
  .columns('id', 'iid', 'title', 'state', 'created_at', 'updated_at', 'due_date', 'start_date')
  .from(
    async (rows: readonly MilestoneBasicRow[], { db }) => {
      const ids = rows.map(({ id }) => id);
      return { paths: await loadMilestonePaths(db, rows), descriptions: await loadDescriptions(db, ids) };
    },
    ({ id, iid, project_id, group_id, ...row }, context, { paths, descriptions }) => {
      const parentPath =
        group_id === null ? paths.projectPathsById.get(project_id!) : `groups/${paths.groupPathsById.get(group_id)}`;
      return {
        ...(group_id === null ? { project_id: project_id! } : { group_id }),
        description: descriptions.get(id) ?? null,
        expired: row.due_date !== null && row.due_date < context.db.today,
        web_url: `${context.url}/${parentPath}/-/milestones/${iid}`,
      };
    },
  );
