import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import {
  findReadableSnippet,
  mayDeleteSnippet,
  mayReadSnippet,
  mayUpdateSnippet,
  type SnippetInProject,
} from '#authorization/snippets.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { findSnippet } from '#domain/snippets.ts';
import { type Access, type AccessCall, open, signedIn } from '#http/access/access.ts';
import { inProject, inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { forbidden, genericNotFound, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

const createSnippetNotFound = () => notFound('Snippet');

/** Resource: the snippet `:id` of a user or a project. 404 for callers who may not read it. */
export const snippetById = {
  name: 'readable',
  params: { id: required(integer) },
  load: ({ db, caller, params }: AccessCall<{ readonly id: number }>) => findReadableSnippet(db, caller, params.id),
  notFound: createSnippetNotFound,
} as const;

interface ProjectContext {
  readonly project: Project;
  readonly caller: Caller;
}

/** Resource: the snippet `:snippet_id` of the project in the path. */
const snippetInProject = {
  name: 'readable',
  params: { snippet_id: required(integer) },
  async load({ db, params }: AccessCall<{ readonly snippet_id: number }>, { project, caller }: ProjectContext) {
    const snippet = await findSnippet(db, params.snippet_id);
    if (snippet === null || snippet.project_id !== project.id || !mayReadSnippet(caller, snippet, project)) return null;
    return { snippet, project };
  },
  notFound: createSnippetNotFound,
} as const;

type ReadAccess = Access<SnippetInProject & { readonly caller: Caller }>;
type WriteAccess = Access<SnippetInProject & { readonly caller: SignedInCaller }>;
/** Returns whether the caller may do something with the snippet. */
type Check = (caller: Caller, readable: SnippetInProject) => boolean;

/** A snippet that the caller may read. */
interface Readable<By extends Caller> {
  readonly readable: SnippetInProject;
  readonly caller: By;
}

const provideSnippet = <By extends Caller>({ readable, caller }: Readable<By>) => ({ ...readable, caller });

/** Returns a check for access that answers 403. */
const createPermissionCheck =
  (check: Check) =>
  ({ caller }: AccessCall, { readable }: { readonly readable: SnippetInProject }): void => {
    if (!check(caller, readable)) throw forbidden();
  };

/** The two paths of endpoints of a single snippet: of any snippet, and below the project of a snippet. */
interface SnippetKind {
  readonly path: '/snippets/:id' | '/projects/:id/snippets/:snippet_id';
  readonly noun: 'snippet' | 'project snippet';
  /** Access to a snippet that the caller may read. With `get`, the 404 for project snippets has the generic text. */
  readAccess(operation?: 'get'): ReadAccess;
  updateAccess(): WriteAccess;
  deleteAccess(): WriteAccess;
}

const createWriteAccess = (check: Check): WriteAccess =>
  signedIn()
    .resource({ ...snippetById, authorize: createPermissionCheck(check) })
    .map(provideSnippet);

/** Endpoints of any snippet. */
export const SNIPPET: SnippetKind = {
  path: '/snippets/:id',
  noun: 'snippet',
  readAccess: () => open().resource(snippetById).map(provideSnippet),
  updateAccess: () => createWriteAccess(mayUpdateSnippet),
  deleteAccess: () => createWriteAccess(mayDeleteSnippet),
};

const createWriteAccessInProject = (check: Check): WriteAccess =>
  inProject('read_snippet')
    .resource({ ...snippetInProject, authorize: createPermissionCheck(check) })
    .map(provideSnippet);

/** Endpoints of a snippet below its project. */
export const PROJECT_SNIPPET: SnippetKind = {
  path: '/projects/:id/snippets/:snippet_id',
  noun: 'project snippet',
  readAccess: (operation) =>
    inProjectAllowingAnonymous('read_snippet')
      .resource(operation === 'get' ? { ...snippetInProject, notFound: genericNotFound } : snippetInProject)
      .map(provideSnippet),
  updateAccess: () => createWriteAccessInProject(mayUpdateSnippet),
  deleteAccess: () => createWriteAccessInProject(mayDeleteSnippet),
};

/** Access to the notes of a project snippet, for signed-in callers who may read it. */
export const projectSnippetNotesAccess = () =>
  inProject('read_snippet')
    .resource(snippetInProject)
    .map(({ readable: { snippet }, project, caller }) => ({ snippet, project, caller }));

/** Declares an endpoint for both kinds: `export const [getSnippet, getProjectSnippet] = forSnippetKinds((kind) => endpoint({ ... }))` */
export function forSnippetKinds<Declaration>(
  declareEndpoint: (kind: SnippetKind) => Declaration,
): readonly [Declaration, Declaration] {
  return [declareEndpoint(SNIPPET), declareEndpoint(PROJECT_SNIPPET)];
}
