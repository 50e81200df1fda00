import type { ExpressionBuilder } from 'kysely';
import { findIssues, type Issue, mayReadIssue } from '../../../access/issues.ts';
import { canSeeProject, findProjects, type Project } from '../../../access/projects.ts';
import type { Reader, Schema } from '../../../database/database.ts';
import { foldCase } from '../../../database/keys.ts';
import type { Act } from '../../../facts/act.ts';
import { mentionedIn } from '../../../history/index.ts';
import { type Reference, referencesIn } from './references.ts';

/** Where a text stands that may name issues. */
export interface Mentioning {
  readonly project: Project;
  readonly issue: Pick<Issue, 'id' | 'iid'>;
}

/**
 * Tells the issues that these texts name that they are mentioned, each once for all texts of an issue: those that whoever
 * writes may read. Who reads the note there without a right to this issue is not shown it.
 */
export async function tellMentioned(act: Act, { project, issue }: Mentioning, texts: readonly string[]): Promise<void> {
  const references = texts.flatMap(referencesIn);
  if (references.length === 0) return;
  const text = mentionedIn('issue', `${project.full_path}#${issue.iid}`);
  for (const { id } of await mentionable(act, project, references)) {
    if (id === issue.id) continue;
    await act.record({ noteOn: { type: 'Issue', id }, text, mentioning: { type: 'Issue', id: issue.id } });
  }
}

/** Of the issues that are meant, those that the caller may read in projects that can be written to. */
async function mentionable(act: Act, from: Project, references: readonly Reference[]): Promise<Issue[]> {
  const parent = from.full_path.slice(0, from.full_path.lastIndexOf('/'));
  const pathOf = ({ path }: Reference) => {
    if (path === '') return foldCase(from.full_path);
    return foldCase(path.includes('/') ? path : `${parent}/${path}`);
  };
  const routes = await projectIdsAt(act, [...new Set(references.map(pathOf))]);
  const projects = new Map(
    (await findProjects(act, act.by, [...routes.values()])).map((project) => [project.id, project]),
  );
  const named = references.flatMap((reference) => {
    const projectId = routes.get(pathOf(reference));
    return projectId === undefined ? [] : [{ projectId, iid: reference.iid }];
  });
  const issues = await findIssues(act, act.by, await issueIdsAt(act, named));
  return issues.filter((issue) => {
    const project = projects.get(issue.project_id);
    if (project === undefined || project.archived || !canSeeProject(act.by, project)) return false;
    return mayReadIssue(act.by, project, issue);
  });
}

/** index: routes_by_full_path */
async function projectIdsAt(db: Reader, keys: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('routes')
    .select(['full_path_key', 'project_id'])
    .where('full_path_key', 'in', keys)
    .where('project_id', 'is not', null)
    .execute();
  return new Map(rows.map(({ full_path_key, project_id }) => [full_path_key, project_id as number]));
}

/** index: issues_by_iid */
async function issueIdsAt(
  db: Reader,
  named: readonly { readonly projectId: number; readonly iid: number }[],
): Promise<number[]> {
  if (named.length === 0) return [];
  const oneOf = (eb: ExpressionBuilder<Schema, 'issues'>) =>
    eb.or(named.map(({ projectId, iid }) => eb.and([eb('project_id', '=', projectId), eb('iid', '=', iid)])));
  const rows = await db.selectFrom('issues').select('id').where(oneOf).orderBy('id').execute();
  return rows.map(({ id }) => id);
}
