import { Type } from 'typebox';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { openValue } from './encryption.ts';
import type { StoredVariable } from './store.ts';

/** contract/runners.md §4.5; to those who manage them, who read their values. */

const fields = {
  variable_type: Type.Enum(['env_var', 'file']),
  key: Type.String(),
  value: nullable(Type.String()),
  protected: Type.Boolean(),
  masked: Type.Boolean(),
  raw: Type.Boolean(),
  description: nullable(Type.String()),
};

const keyOf = async (_rows: readonly StoredVariable[], to: SerializationContext) => ({
  secretKey: await to.secretKey(),
});

function shownOf(row: StoredVariable, { secretKey }: Awaited<ReturnType<typeof keyOf>>) {
  return {
    variable_type: row.variable_type,
    key: row.key,
    value: row.hidden ? null : openValue(secretKey, row),
    protected: Boolean(row.protected),
    masked: Boolean(row.masked),
    raw: Boolean(row.raw),
    description: row.description,
  };
}

/** Of a project or group. */
export const CiVariable = entity('CiVariable', {
  ...fields,
  hidden: Type.Boolean(),
  environment_scope: Type.String(),
}).from(keyOf, (row: StoredVariable, _to, loaded) => ({
  ...shownOf(row, loaded),
  hidden: Boolean(row.hidden),
  environment_scope: row.environment_scope,
}));

/** Of the instance: none is hidden, and all are for whatever environment. */
export const CiInstanceVariable = entity('CiInstanceVariable', fields).from(keyOf, (row: StoredVariable, _to, loaded) =>
  shownOf(row, loaded),
);
