import { Type } from 'typebox';
import type { Project as Row } from '../../../access/projects.ts';
import type { Reader } from '../../../database/database.ts';
import type { Git } from '../../../git/git.ts';
import { type Page, page } from '../../../http/endpoint/answers.ts';
import type { Base } from '../../../http/endpoint/base.ts';
import type { Caller } from '../../../identity/caller.ts';
import {
  type Project,
  ProjectSimple,
  ProjectWithPermissions,
  projectEntity,
  projectSimple,
  projectWithPermissions,
} from './entities.ts';
import { relationsOf } from './relations.ts';

/** What a handler hands over to have projects shown. */
export interface Presenting {
  readonly db: Reader;
  readonly git: Git;
  readonly caller: Caller;
  readonly base: Base;
}

/** Anonymous callers see the simple form, whatever they ask for. */
export const ProjectShown = Type.Union([ProjectSimple, ProjectWithPermissions]);
export type ProjectShown = ProjectSimple | ProjectWithPermissions;
export const projectPage = page(ProjectShown);

/** Projects in lists and single reads. */
export async function presentProjects(
  to: Presenting,
  projects: readonly Row[],
  simple = false,
): Promise<ProjectShown[]> {
  const showing = { ...(await relationsOf(to, projects)), caller: to.caller, base: to.base };
  if (simple || to.caller.user === null) return projectSimple(projects, showing);
  return projectWithPermissions(projects, showing);
}

export async function presentPage(to: Presenting, found: Page<Row>, simple: boolean): Promise<Page<ProjectShown>> {
  return { ...found, items: await presentProjects(to, found.items, simple) };
}

/** Projects as answers to writes, and inside other objects: without the caller's permissions. */
export async function projectEntities(to: Presenting, projects: readonly Row[]): Promise<(Project | ProjectSimple)[]> {
  const showing = { ...(await relationsOf(to, projects)), caller: to.caller, base: to.base };
  return to.caller.user === null ? projectSimple(projects, showing) : projectEntity(projects, showing);
}
