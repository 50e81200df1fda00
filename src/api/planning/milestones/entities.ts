import { Type } from 'typebox';
import { textsOf } from '#database/long-texts.ts';
import { entity } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable } from '#http/endpoint/responses.ts';
import { type MilestoneBasicRow, pathsOf } from './store.ts';

const descriptionsOf = textsOf('milestones', 'description');

/** contract/planning.md §1 "Milestone" */
export const Milestone = entity('Milestone', {
  id: Type.Integer(),
  iid: Type.Integer(),
  /** Of a project's. */
  project_id: Type.Optional(Type.Integer()),
  /** Of a group's. */
  group_id: Type.Optional(Type.Integer()),
  title: Type.String(),
  description: nullable(Type.String()),
  state: Type.Enum(['active', 'closed']),
  created_at: dateTime,
  updated_at: dateTime,
  due_date: nullable(date),
  start_date: nullable(date),
  /** It was due before today. */
  expired: Type.Boolean(),
  web_url: Type.String(),
}).from(
  async (rows: readonly MilestoneBasicRow[], { db }) => {
    const ids = rows.map(({ id }) => id);
    return { paths: await pathsOf(db, rows), descriptions: await descriptionsOf(db, ids) };
  },
  ({ id, iid, project_id, group_id, title, state, ...row }, to, { paths, descriptions }) => {
    const place = group_id === null ? paths.project.get(project_id!) : `groups/${paths.group.get(group_id)}`;
    return {
      id,
      iid,
      ...(group_id === null ? { project_id: project_id! } : { group_id }),
      title,
      description: descriptions.get(id) ?? null,
      state,
      created_at: row.created_at,
      updated_at: row.updated_at,
      due_date: row.due_date,
      start_date: row.start_date,
      expired: row.due_date !== null && row.due_date < to.db.today,
      web_url: `${to.url}/${place}/-/milestones/${iid}`,
    };
  },
);
