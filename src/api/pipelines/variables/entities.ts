import { Type } from 'typebox';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { decryptValue } from './encryption.ts';
import type { CiVariableRow } from './store.ts';

/** contract/runners.md §4.5. Includes values, so only for callers who manage the variables. */

const fields = {
  variable_type: Type.Enum(['env_var', 'file']),
  key: Type.String(),
  value: nullable(Type.String()),
  protected: Type.Boolean(),
  masked: Type.Boolean(),
  raw: Type.Boolean(),
  description: nullable(Type.String()),
};

const loadSecretKey = async (_rows: readonly CiVariableRow[], context: SerializationContext) => ({
  secretKey: await context.secretKey(),
});

function serializeFields(row: CiVariableRow, { secretKey }: Awaited<ReturnType<typeof loadSecretKey>>) {
  return {
    variable_type: row.variable_type,
    key: row.key,
    value: row.hidden ? null : decryptValue(secretKey, row),
    protected: Boolean(row.protected),
    masked: Boolean(row.masked),
    raw: Boolean(row.raw),
    description: row.description,
  };
}

/** A variable of a project or group. */
export const CiVariable = entity('CiVariable', {
  ...fields,
  hidden: Type.Boolean(),
  environment_scope: Type.String(),
}).from(loadSecretKey, (row: CiVariableRow, _context, relations) => ({
  ...serializeFields(row, relations),
  hidden: Boolean(row.hidden),
  environment_scope: row.environment_scope,
}));

/** A variable of the instance: never hidden, and for all environments. */
export const CiInstanceVariable = entity('CiInstanceVariable', fields).from(
  loadSecretKey,
  (row: CiVariableRow, _context, relations) => serializeFields(row, relations),
);
