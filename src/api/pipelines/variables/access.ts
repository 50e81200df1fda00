import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { DEVELOPER, MAINTAINER, OWNER } from '#domain/members/roles.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import { type AccessCall, administrator } from '#http/access/access.ts';
import type { ParentContext, ParentKind } from '#http/access/parents.ts';
import { HttpError, notFound } from '#http/errors/http-error.ts';
import { describe, object, optional } from '#http/parameters/declarations.ts';
import { domainValidatedText } from '#http/parameters/texts.ts';
import { INSTANCE_OWNER, OWNER_TYPES, toVariableOwner, type VariableOwner } from './owner.ts';
import { type CiVariableRow, findVariablesByKey } from './store.ts';
import { MAX_TEXT_LENGTH } from './validation.ts';

// Access to manage variables, and the variable named in the path (contract/runners.md §4.5).

const ABILITIES = { group: 'admin_variable', project: 'admin_variable' } as const;

const MULTIPLE_VARIABLES =
  "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'";

const notFoundFor = (type: VariableOwner['type']) => notFound(OWNER_TYPES[type].title);

/** The context of endpoints for one variable. */
export interface VariableContext {
  readonly owner: VariableOwner;
  readonly caller: SignedInCaller;
  readonly variable: CiVariableRow;
}

/** Access to the variables of a group or project. */
export const variablesAccess = (parent: ParentKind) =>
  parent.accessWith(ABILITIES).map(({ parent, caller }: ParentContext) => ({ owner: toVariableOwner(parent), caller }));

interface FilterParams {
  readonly filter?: { readonly environment_scope?: string | null | undefined } | null | undefined;
}

export const environmentScope = domainValidatedText(MAX_TEXT_LENGTH);

/** Access to the variable with the key in the path; 409 if several scopes match and the filter names none. */
export const variableAccess = (parent: ParentKind) =>
  variablesAccess(parent)
    .resource({
      name: 'variable',
      params: {
        filter: describe(
          optional(object({ environment_scope: optional(environmentScope) })),
          'Selects one of several variables with the same key by its exact scope.',
        ),
      },
      async load({ db, path, params }: AccessCall<FilterParams>, { owner }: { readonly owner: VariableOwner }) {
        const variables = await findVariablesByKey(db, owner, path.key ?? '', params.filter?.environment_scope);
        if (variables.length > 1) throw new HttpError(409, { message: MULTIPLE_VARIABLES });
        return variables[0] ?? null;
      },
      notFound: () => notFoundFor(parent.type),
    })
    .withErrors({ multipleVariables: [409, MULTIPLE_VARIABLES] });

/** Access for administrators to the variables of the instance. */
export const instanceVariablesAccess = () => administrator().map(({ caller }) => ({ owner: INSTANCE_OWNER, caller }));

/** Access for administrators to the instance variable with the key in the path. */
export const instanceVariableAccess = () =>
  instanceVariablesAccess().resource({
    name: 'variable',
    load: async ({ db, path }: AccessCall, { owner }: { readonly owner: VariableOwner }) =>
      (await findVariablesByKey(db, owner, path.key ?? ''))[0] ?? null,
    notFound: () => notFoundFor('instance'),
  });

const ROLES = { developer: DEVELOPER, maintainer: MAINTAINER, owner: OWNER } as const;

/**
 * Returns whether the caller may set variables of pipelines, jobs and schedules (contract/runners.md §4.5 "Who may set
 * pipeline variables").
 */
export function canSetPipelineVariables(caller: Caller, project: Project): boolean {
  if (isAdministrator(caller)) return true;
  const minimumRole = parseStoredAttributes(project).ci_pipeline_variables_minimum_override_role;
  return minimumRole !== 'no_one_allowed' && getProjectRole(caller, project) >= ROLES[minimumRole];
}
