import { Type } from 'typebox';
import { ProjectSimple } from '#api/namespaces/projects/index.ts';
import { lastDeployment } from '#domain/deployments.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import { findProjects, type Project } from '#domain/namespaces/projects.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { entity, type SerializationContext, type ShapeOf } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { LastDeployment } from '../deployment-summaries/index.ts';
import {
  EnvironmentBasic,
  type EnvironmentBasicRow,
  environmentFields,
  environmentShape,
  TIERS,
} from '../environment-model/index.ts';

/** The forms of an environment (contract/environments.md "Environment object"). */

const text = Type.String();
const tier = { tier: Type.Enum([...TIERS]) };
const project = { project: ProjectSimple.schema };
const state = {
  state: Type.Enum(['available', 'stopping', 'stopped']),
  auto_stop_at: nullable(dateTime),
  description: nullable(text),
  auto_stop_setting: Type.Enum(['always', 'with_action']),
};
/** Clients know these from where logs are kept elsewhere. */
const logs = { enable_advanced_logs_querying: Type.Boolean(), logs_api_path: text };

const stateOf = ({ state, auto_stop_at, description, auto_stop_setting }: EnvironmentRow) => ({
  state,
  auto_stop_at,
  description,
  auto_stop_setting,
});

const logsOf = ({ name }: EnvironmentRow, { full_path }: Pick<Project, 'full_path'>) => ({
  enable_advanced_logs_querying: false,
  logs_api_path: `/${full_path}/-/logs/k8s.json?environment_name=${encodeURIComponent(name)}`,
});

interface Places {
  readonly projects: ReadonlyMap<number, Project>;
  readonly shapes: ReadonlyMap<number, ShapeOf<typeof ProjectSimple>>;
}

async function placesOf(rows: readonly EnvironmentRow[], to: SerializationContext): Promise<Places> {
  const ids = [...new Set(rows.map(({ project_id }) => project_id))];
  const projects = await findProjects(to.db, to.caller, ids);
  const shapes = await ProjectSimple.serializeAll(projects, to);
  return {
    projects: new Map(projects.map((row) => [row.id, row])),
    shapes: new Map(shapes.map((shape) => [shape.id, shape])),
  };
}

interface Alone extends Pick<Places, 'projects'> {
  readonly deployments: ReadonlyMap<number, ShapeOf<typeof LastDeployment>>;
}

async function aloneOf(rows: readonly EnvironmentRow[], to: SerializationContext): Promise<Alone> {
  const projects = await findProjects(
    to.db,
    to.caller,
    rows.map(({ project_id }) => project_id),
  );
  const each = await Promise.all(rows.map(({ id }) => lastDeployment(to.db, id)));
  const last = each.filter((row) => row !== null);
  const shapes = await LastDeployment.serializeAll(last, to);
  return {
    projects: new Map(projects.map((row) => [row.id, row])),
    deployments: new Map(last.map(({ environment_id }, at) => [environment_id, shapes[at]!])),
  };
}

/** In lists. */
export const EnvironmentInList = entity('EnvironmentInList', {
  ...environmentFields,
  ...tier,
  ...project,
  ...state,
  ...logs,
}).from(placesOf, (row: EnvironmentRow, _to, { projects, shapes }) => ({
  ...environmentShape(row),
  tier: row.tier,
  project: stillThere(shapes.get(row.project_id)),
  ...stateOf(row),
  ...logsOf(row, stillThere(projects.get(row.project_id))),
}));

/** Read alone. */
export const EnvironmentAlone = entity('EnvironmentAlone', {
  ...environmentFields,
  ...tier,
  last_deployment: nullable(LastDeployment.schema),
  ...state,
  ...logs,
}).from(aloneOf, (row: EnvironmentRow, _to, { projects, deployments }) => ({
  ...environmentShape(row),
  tier: row.tier,
  last_deployment: deployments.get(row.id) ?? null,
  ...stateOf(row),
  ...logsOf(row, stillThere(projects.get(row.project_id))),
}));

/** Made or changed. */
export const Environment = entity('Environment', { ...environmentFields, ...tier, ...project, ...state }).from(
  placesOf,
  (row: EnvironmentRow, _to, { shapes }) => ({
    ...environmentShape(row),
    tier: row.tier,
    project: stillThere(shapes.get(row.project_id)),
    ...stateOf(row),
  }),
);

/** Stopped: clients know it without its tier. */
export const StoppedEnvironment = entity('StoppedEnvironment', { ...environmentFields, ...project, ...state }).from(
  placesOf,
  (row: EnvironmentRow, _to, { shapes }) => ({
    ...environmentShape(row),
    project: stillThere(shapes.get(row.project_id)),
    ...stateOf(row),
  }),
);

export const ScheduledReviewApps = entity('ScheduledReviewApps', {
  scheduled_entries: Type.Array(EnvironmentBasic.schema),
  unprocessable_entries: Type.Array(EnvironmentBasic.schema),
}).from((scheduled: readonly EnvironmentBasicRow[], to) => ({
  scheduled_entries: scheduled.map((row) => EnvironmentBasic.serialize(row, to)),
  unprocessable_entries: [],
}));
