import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool } from 'kysely';
import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { reidentify } from '#authentication/reidentify.ts';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { ANY_ROLE, GUEST } from '#domain/members/roles.ts';
import { canSeeProject, findProject, getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import { findSnippet, type Snippet } from '#domain/snippets.ts';
import { mayInProject, type ProjectAbilityName } from './abilities.ts';
import { AccessRevoked } from './current-access.ts';
import { projectVisibleTo, projectWithRole } from './visibility.ts';

// Who may read and write snippets (contract/operations.md §2.1, contract/everyday-more.md §7.1): personal ones by their
// visibility and author, those of a project also by the rights in the project, which the caller must be able to see.

/** A snippet with its project; null for a personal snippet. */
export interface SnippetInProject {
  readonly snippet: Snippet;
  readonly project: Project | null;
}

type SnippetRule = Pick<Snippet, 'visibility' | 'author_id'>;

const isAuthor = (caller: Caller, { author_id }: SnippetRule) => caller.user?.id === author_id;

/** Returns whether the caller, who can see the project, may read the snippet. */
export function mayReadSnippet(caller: Caller, snippet: SnippetRule, project: Project | null): boolean {
  if (project !== null && !mayInProject(caller, 'read_snippet', project)) return false;
  if (isAdministrator(caller) || snippet.visibility === 'public' || isAuthor(caller, snippet)) return true;
  if (project !== null && getProjectRole(caller, project) >= GUEST) return true;
  return snippet.visibility === 'internal' && caller.user !== null && !caller.user.external;
}

/** Returns whether the caller, who may read the snippet, may change it. */
export function mayUpdateSnippet(caller: Caller, { snippet, project }: SnippetInProject): boolean {
  return hasSnippetRight(caller, { snippet, project }, 'update_own_snippet');
}

/** Returns whether the caller, who may read the snippet, may delete it. */
export function mayDeleteSnippet(caller: Caller, { snippet, project }: SnippetInProject): boolean {
  // An author who may not create snippets any more may not delete them either.
  return hasSnippetRight(caller, { snippet, project }, 'create_snippet');
}

/** Returns whether the caller is an administrator, a Maintainer of the project, or the author with this ability. */
function hasSnippetRight(
  caller: Caller,
  { snippet, project }: SnippetInProject,
  abilityOfAuthor: ProjectAbilityName,
): boolean {
  if (project === null) return isAdministrator(caller) || isAuthor(caller, snippet);
  if (mayInProject(caller, 'update_snippet', project)) return true;
  return isAuthor(caller, snippet) && mayInProject(caller, abilityOfAuthor, project);
}

/** Returns the project of a snippet: null for a personal one, undefined if the caller cannot see it. */
async function findSnippetProject(
  db: Reader,
  caller: Caller,
  { project_id }: Snippet,
): Promise<Project | null | undefined> {
  if (project_id === null) return null;
  const project = await findProject(db, caller, String(project_id));
  return project !== null && canSeeProject(caller, project) ? project : undefined;
}

/** Returns the snippet with its project if the caller may read it, else null. */
export async function findReadableSnippet(db: Reader, caller: Caller, id: number): Promise<SnippetInProject | null> {
  const snippet = await findSnippet(db, id);
  if (snippet === null) return null;
  const project = await findSnippetProject(db, caller, snippet);
  return project !== undefined && mayReadSnippet(caller, snippet, project) ? { snippet, project } : null;
}

/** Reloads caller, snippet and project. Throws `AccessRevoked` if the caller may no longer change the snippet. */
export async function requireSnippetUpdate(
  tx: Transaction,
  caller: SignedInCaller,
  id: number,
): Promise<SnippetInProject & { readonly caller: SignedInCaller }> {
  const current = await reidentify(tx, caller);
  const snippetInProject = current && (await findReadableSnippet(tx, current, id));
  if (current === null || snippetInProject === null || !mayUpdateSnippet(current, snippetInProject))
    throw new AccessRevoked();
  return { ...snippetInProject, caller: current };
}

type Eb = ExpressionBuilder<Schema, 'snippets' | 'projects'>;

/** Condition on snippets left-joined with their projects: the caller may read the snippet. */
export function snippetVisibleTo(caller: Caller, today: string) {
  return (eb: Eb): Expression<SqlBool> => {
    const projects = expressionBuilder<Schema, 'projects'>();
    const isPersonal = eb('snippets.project_id', 'is', null);
    const level = eb.ref('projects.snippets_access_level');
    if (isAdministrator(caller)) return eb.or([isPersonal, eb(level, '<>', 'disabled')]);
    const isVisible = isVisibleToReader(caller)(expressionBuilder<Schema, 'snippets'>());
    const mayUseProject = eb.and([projectVisibleTo(caller, today)(projects), eb(level, '=', 'enabled')]);
    if (caller.user === null) return eb.and([isVisible, eb.or([isPersonal, mayUseProject])]);
    const isMember = eb.and([eb(level, '<>', 'disabled'), projectWithRole(caller.user.id, ANY_ROLE, today)(projects)]);
    return eb.or([eb.and([isVisible, eb.or([isPersonal, mayUseProject])]), isMember]);
  };
}

type SnippetEb = ExpressionBuilder<Schema, 'snippets'>;

/** Condition on snippets of one project: the caller, who may read snippets there, may read the snippet. */
export function snippetInProjectVisibleTo(caller: Caller, project: Project) {
  return (eb: SnippetEb): Expression<SqlBool> => {
    if (isAdministrator(caller) || getProjectRole(caller, project) >= GUEST) return eb.lit(true);
    return isVisibleToReader(caller)(eb);
  };
}

/** Condition: the snippet is open to the caller by its visibility, or the caller is its author. */
function isVisibleToReader({ user }: Caller) {
  return (eb: SnippetEb): Expression<SqlBool> => {
    if (user === null) return eb('snippets.visibility', '=', 'public');
    const levels = user.external ? (['public'] as const) : (['public', 'internal'] as const);
    return eb.or([eb('snippets.visibility', 'in', levels), eb('snippets.author_id', '=', user.id)]);
  };
}
