import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { readObject } from '#git/objects/object-reader.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { findEntryAtPath } from '#git/trees/path-entries.ts';
import { getRepository } from '#repositories/repository.ts';

// Incident management settings of projects; a project with the defaults may have no row.

type Row = Selectable<Schema['incident_management_settings']>;

export type IncidentSettings = Omit<Row, 'project_id'>;

const DEFAULTS: IncidentSettings = {
  create_issue: false,
  send_email: false,
  auto_close_incident: true,
  issue_template_key: null,
};

// index: incident_management_settings primary key
const loadSettingsRows = prepareForIds<Row>((db, ids) =>
  db
    .selectFrom('incident_management_settings')
    .select(['project_id', 'create_issue', 'send_email', 'auto_close_incident', 'issue_template_key'])
    .where('project_id', 'in', ids),
);

/** Loads the settings of these projects in one statement, and returns a lookup by project id. */
export async function loadIncidentSettings(
  db: Reader,
  projectIds: readonly number[],
): Promise<(projectId: number) => IncidentSettings> {
  const rows = await loadSettingsRows(db, projectIds);
  const settingsByProjectId = new Map(rows.map(({ project_id, ...settings }) => [project_id, settings]));
  return (projectId) => settingsByProjectId.get(projectId) ?? DEFAULTS;
}

/** Returns the settings of a project, or the defaults. */
export async function getIncidentSettings(db: Reader, projectId: number): Promise<IncidentSettings> {
  return (await loadIncidentSettings(db, [projectId]))(projectId);
}

/** Creates or replaces the settings of a project. index: incident_management_settings primary key */
export async function saveIncidentSettings(
  tx: Transaction,
  projectId: number,
  settings: IncidentSettings,
): Promise<void> {
  await tx
    .insertInto('incident_management_settings')
    .values({ project_id: projectId, ...settings })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(settings))
    .execute();
}

const FOLDER = '.gitlab/issue_templates';
const MAX_TEMPLATE_BYTES = 1024 * 1024;

/** Returns the issue template named `key` on the default branch, or null if the file is missing or too large. */
export async function readIssueTemplate(
  git: Git,
  project: Pick<Project, 'storage' | 'disk_path' | 'default_branch'>,
  key: string,
): Promise<string | null> {
  if (key.includes('/')) return null;
  const repository = getRepository(git, project);
  const branchHead = await findBranchHead(repository, project.default_branch);
  const entry = branchHead === null ? null : await findEntryAtPath(git, repository, branchHead, `${FOLDER}/${key}.md`);
  if (entry?.type !== 'blob') return null;
  const object = await readObject(git, repository, entry.id, MAX_TEMPLATE_BYTES);
  // Databases cannot store NUL in a text.
  return object?.content?.toString('utf8').replaceAll('\0', '') ?? null;
}
