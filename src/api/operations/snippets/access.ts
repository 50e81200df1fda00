import { isAdministrator } from '#authentication/caller.ts';
import { type AccessCall, open, signedIn } from '#http/access/access.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { canReadSnippet, findSnippet, type Snippet } from './store.ts';

interface Naming {
  readonly id: number;
}

/** The snippet that the path names; to whom may not read it it is not there. */
export const snippetNamed = {
  name: 'snippet',
  params: { id: required(integer) },
  async load({ db, caller, params }: AccessCall<Naming>) {
    const snippet = await findSnippet(db, params.id);
    return snippet !== null && canReadSnippet(caller, snippet) ? snippet : null;
  },
  notFound: () => notFound('Snippet'),
} as const;

/** Anybody who may read the snippet. */
export const readingSnippet = () => open().resource(snippetNamed);

/** Its author, and administrators. */
export const managingSnippet = () => signedIn().resource({ ...snippetNamed, authorize: requireAuthor });

function requireAuthor({ caller }: AccessCall, { snippet }: { readonly snippet: Snippet }): void {
  if (caller.user?.id !== snippet.author_id && !isAdministrator(caller)) throw forbidden();
}
