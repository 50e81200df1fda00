import type { Caller } from '#authentication/caller.ts';
import { findReadableSnippet, mayUpdateSnippet, type SnippetInProject } from '#authorization/snippets.ts';
import type { Reader } from '#database/database.ts';
import { findMovedProject, findProject } from '#domain/namespaces/projects.ts';
import { isReadOnlySnippet, type Snippet } from '#domain/snippets.ts';
import { REPOSITORY_READ_ONLY } from '../errors/error-messages.ts';
import {
  credentialsRequired,
  type GitAction,
  type GitCall,
  gitForbidden,
  plainError,
  requireCurrentPath,
  requireGitScope,
} from './git-rules.ts';

/** Access of git clients to snippets, `/snippets/<id>.git` and `/<full path>/snippets/<id>.git` (contract/everyday-more.md §7.1). */

const SNIPPET_PATH = /^(?:(.+)\/)?snippets\/(\d{1,15})$/i;

/** Returns the snippet in the path and authorizes the action; null if the path is not that of a snippet. */
export async function findGitSnippet(call: GitCall, caller: Caller, action: GitAction): Promise<Snippet | null> {
  const repositoryPath = call.path.repository_path ?? '';
  const match = SNIPPET_PATH.exec(repositoryPath);
  if (match === null) return null;
  const projectPath = match[1];
  // A project in a group called `snippets` takes precedence.
  if (projectPath !== undefined && (await findProject(call.db, caller, repositoryPath)) !== null) return null;
  const snippetInProject = await findReadableSnippet(call.db, caller, Number(match[2]));
  if (
    snippetInProject === null ||
    !(await isPathOfSnippet(call, caller, snippetInProject, projectPath, action)) ||
    isForeignJob(caller, snippetInProject)
  ) {
    throw caller.user === null ? credentialsRequired() : snippetNotFound();
  }
  requireAction(caller, snippetInProject, action);
  return snippetInProject.snippet;
}

const snippetNotFound = () => plainError(404, 'The snippet you were looking for could not be found.');

/** Returns whether the path names the snippet's project; undefined: no project. Throws for a push to the old path of a moved project. */
async function isPathOfSnippet(
  { db, request }: GitCall,
  caller: Caller,
  { snippet, project }: SnippetInProject,
  path: string | undefined,
  action: GitAction,
): Promise<boolean> {
  if (project === null || path === undefined) return project === null && path === undefined;
  if (path.toLowerCase() === project.full_path.toLowerCase()) return true;
  if (!(await isMovedFrom(db, caller, project.id, path))) return false;
  const suffix = `/snippets/${snippet.id}`;
  if (action === 'push') requireCurrentPath(request, { full_path: project.full_path + suffix }, path + suffix);
  return true;
}

async function isMovedFrom(db: Reader, caller: Caller, projectId: number, path: string): Promise<boolean> {
  return (await findMovedProject(db, caller, path))?.id === projectId;
}

/** Returns whether the caller is a job of another project than the snippet's. */
function isForeignJob({ job }: Caller, { snippet }: SnippetInProject): boolean {
  return job !== undefined && job.projectId !== snippet.project_id;
}

function requireAction(caller: Caller, { snippet, project }: SnippetInProject, action: GitAction): void {
  requireGitScope(caller, action);
  if (action === 'fetch') return;
  if (!mayUpdateSnippet(caller, { snippet, project })) {
    throw gitForbidden(
      project?.archived ? "You can't push code to an archived project." : 'You are not allowed to update this snippet.',
    );
  }
  if (isReadOnlySnippet(snippet)) throw gitForbidden(REPOSITORY_READ_ONLY[1]);
}
