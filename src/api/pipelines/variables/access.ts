import type { SignedInCaller } from '#authentication/caller.ts';
import type { AccessCall } from '#http/access/access.ts';
import { administrator } from '#http/access/access.ts';
import type { InParent, ParentKind } from '#http/access/parents.ts';
import { HttpError, notFound } from '#http/errors/http-error.ts';
import { INSTANCE, KINDS, type Owner, ownerOf } from './owner.ts';
import { FILTER } from './parameters.ts';
import { type StoredVariable, variablesNamed } from './store.ts';

/** Who manages variables, and which one a path names (contract/runners.md §4.5). */

const ABILITIES = { group: 'admin_variable', project: 'admin_variable' } as const;

const SEVERAL = "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'";

const missingIn = (type: Owner['type']) => notFound(KINDS[type].thing);

/** What an endpoint about one variable gets. */
export interface Managed {
  readonly owner: Owner;
  readonly caller: SignedInCaller;
  readonly variable: StoredVariable;
}

/** Those of a group or project. */
export const managing = (parent: ParentKind) =>
  parent.may(ABILITIES).map(({ parent, caller }: InParent) => ({ owner: ownerOf(parent), caller }));

interface Filtered {
  readonly filter?: { readonly environment_scope?: string | null | undefined } | null | undefined;
}

/** The one with the key in the path, of several the one whose scope the call names. */
export const managingOne = (parent: ParentKind) =>
  managing(parent)
    .resource({
      name: 'variable',
      params: FILTER,
      async load({ db, path, params }: AccessCall<Filtered>, { owner }: { readonly owner: Owner }) {
        const found = await variablesNamed(db, owner, path.key ?? '', params.filter?.environment_scope);
        if (found.length > 1) throw new HttpError(409, { message: SEVERAL });
        return found[0] ?? null;
      },
      notFound: () => missingIn(parent.type),
    })
    .withErrors({ several: [409, SEVERAL] });

export const managingInstance = () => administrator().map(({ caller }) => ({ owner: INSTANCE, caller }));

export const managingOneOfInstance = () =>
  managingInstance().resource({
    name: 'variable',
    load: async ({ db, path }: AccessCall, { owner }: { readonly owner: Owner }) =>
      (await variablesNamed(db, owner, path.key ?? ''))[0] ?? null,
    notFound: () => missingIn('instance'),
  });
