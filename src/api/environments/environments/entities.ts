import { Type } from 'typebox';
import { ProjectSimple } from '#api/namespaces/projects/index.ts';
import { findLastDeployment } from '#domain/deployments.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import { findProjects, type Project } from '#domain/namespaces/projects.ts';
import { entity, type SerializationContext, type ShapeOf } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { requireRow } from '#runtime/failure.ts';
import {
  ENVIRONMENT_COLUMNS,
  ENVIRONMENT_TIERS,
  EnvironmentBasic,
  environmentFields,
  LastDeployment,
} from '../environment-model/index.ts';

// Variants of an environment (contract/environments.md "Environment object").

const text = Type.String();
const tierFields = { tier: Type.Enum([...ENVIRONMENT_TIERS]) };
const projectFields = { project: ProjectSimple.schema };
const stateFields = {
  state: Type.Enum(['available', 'stopping', 'stopped']),
  auto_stop_at: nullable(dateTime),
  description: nullable(text),
  auto_stop_setting: Type.Enum(['always', 'with_action'], {
    description: 'Whether the environment stops automatically always, or only if it has a stop job.',
  }),
};
const STATE_COLUMNS = ['state', 'auto_stop_at', 'description', 'auto_stop_setting'] as const;
/** Fields for compatibility with servers that store pod logs. */
const logsFields = {
  enable_advanced_logs_querying: Type.Boolean({ description: 'Always false, because logs of pods are not stored.' }),
  logs_api_path: text,
};

const serializeLogs = ({ name }: EnvironmentRow, { full_path }: Pick<Project, 'full_path'>) => ({
  enable_advanced_logs_querying: false,
  logs_api_path: `/${full_path}/-/logs/k8s.json?environment_name=${encodeURIComponent(name)}`,
});

interface ProjectRelations {
  readonly projects: ReadonlyMap<number, Project>;
  readonly serializedProjects: ReadonlyMap<number, ShapeOf<typeof ProjectSimple>>;
}

async function loadProjects(rows: readonly EnvironmentRow[], context: SerializationContext): Promise<ProjectRelations> {
  const ids = [...new Set(rows.map(({ project_id }) => project_id))];
  const projects = await findProjects(context.db, context.caller, ids);
  const serializedProjects = await ProjectSimple.serializeAll(projects, context);
  return {
    projects: new Map(projects.map((row) => [row.id, row])),
    serializedProjects: new Map(serializedProjects.map((shape) => [shape.id, shape])),
  };
}

interface DetailsRelations extends Pick<ProjectRelations, 'projects'> {
  readonly deployments: ReadonlyMap<number, ShapeOf<typeof LastDeployment>>;
}

async function loadDetailsRelations(
  rows: readonly EnvironmentRow[],
  context: SerializationContext,
): Promise<DetailsRelations> {
  const projects = await findProjects(
    context.db,
    context.caller,
    rows.map(({ project_id }) => project_id),
  );
  const deployments = await Promise.all(rows.map(({ id }) => findLastDeployment(context.db, id)));
  const existingDeployments = deployments.filter((row) => row !== null);
  const serializedDeployments = await LastDeployment.serializeAll(existingDeployments, context);
  return {
    projects: new Map(projects.map((row) => [row.id, row])),
    deployments: new Map(
      existingDeployments.map(({ environment_id }, index) => [environment_id, serializedDeployments[index]!]),
    ),
  };
}

/** An environment in a list. */
export const EnvironmentInList = entity('EnvironmentInList', {
  ...environmentFields,
  ...tierFields,
  ...projectFields,
  ...stateFields,
  ...logsFields,
})
  .columns(...ENVIRONMENT_COLUMNS, 'tier', ...STATE_COLUMNS)
  .from(loadProjects, (row: EnvironmentRow, _context, { projects, serializedProjects }) => ({
    project: requireRow(serializedProjects.get(row.project_id)),
    ...serializeLogs(row, requireRow(projects.get(row.project_id))),
  }));

/** A single environment. */
export const EnvironmentDetails = entity('EnvironmentDetails', {
  ...environmentFields,
  ...tierFields,
  last_deployment: nullable(LastDeployment.schema),
  ...stateFields,
  ...logsFields,
})
  .columns(...ENVIRONMENT_COLUMNS, 'tier', ...STATE_COLUMNS)
  .from(loadDetailsRelations, (row: EnvironmentRow, _context, { projects, deployments }) => ({
    last_deployment: deployments.get(row.id) ?? null,
    ...serializeLogs(row, requireRow(projects.get(row.project_id))),
  }));

/** A created or updated environment. */
export const Environment = entity('Environment', {
  ...environmentFields,
  ...tierFields,
  ...projectFields,
  ...stateFields,
})
  .columns(...ENVIRONMENT_COLUMNS, 'tier', ...STATE_COLUMNS)
  .from(loadProjects, (row: EnvironmentRow, _context, { serializedProjects }) => ({
    project: requireRow(serializedProjects.get(row.project_id)),
  }));

/** A stopped environment; clients expect it without the tier. */
export const StoppedEnvironment = entity('StoppedEnvironment', {
  ...environmentFields,
  ...projectFields,
  ...stateFields,
})
  .columns(...ENVIRONMENT_COLUMNS, ...STATE_COLUMNS)
  .from(loadProjects, (row: EnvironmentRow, _context, { serializedProjects }) => ({
    project: requireRow(serializedProjects.get(row.project_id)),
  }));

export const ReviewAppsScheduledForDeletion = entity('ReviewAppsScheduledForDeletion', {
  scheduled_entries: Type.Array(EnvironmentBasic.schema),
  unprocessable_entries: Type.Array(EnvironmentBasic.schema),
}).from((scheduledEnvironments: readonly EnvironmentRow[], context) => ({
  scheduled_entries: scheduledEnvironments.map((row) => EnvironmentBasic.serialize(row, context)),
  // Unprocessable environments make the whole request fail instead.
  unprocessable_entries: [],
}));
