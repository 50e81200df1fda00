import { isAdministrator } from '#authentication/caller.ts';
import { type AccessCall, open, signedIn } from '#http/access/access.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { canReadSnippet, findSnippet, type Snippet } from './store.ts';

interface SnippetPathParams {
  readonly id: number;
}

/** Resource: the snippet `:id`. 404 for callers who may not read it. */
export const snippetById = {
  name: 'snippet',
  params: { id: required(integer) },
  async load({ db, caller, params }: AccessCall<SnippetPathParams>) {
    const snippet = await findSnippet(db, params.id);
    return snippet !== null && canReadSnippet(caller, snippet) ? snippet : null;
  },
  notFound: () => notFound('Snippet'),
} as const;

/** All callers who may read the snippet. */
export const readSnippetAccess = () => open().resource(snippetById);

/** The author and administrators. */
export const manageSnippetAccess = () => signedIn().resource({ ...snippetById, authorize: requireAuthor });

function requireAuthor({ caller }: AccessCall, { snippet }: { readonly snippet: Snippet }): void {
  if (caller.user?.id !== snippet.author_id && !isAdministrator(caller)) throw forbidden();
}
