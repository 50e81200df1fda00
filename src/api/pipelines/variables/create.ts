import type { KeyObject } from 'node:crypto';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { compactFieldErrors, type Failure, invalid } from '#runtime/failure.ts';
import { recordVariableCreated } from './activity.ts';
import { encryptValue } from './encryption.ts';
import { OWNER_TYPES, type VariableOwner, variablesLockKey } from './owner.ts';
import { type CiVariableRow, countVariables, findVariablesByKey, insertVariable, toOwnerColumns } from './store.ts';
import { type VariableContent, validateVariable } from './validation.ts';

export interface CreateVariableInput extends Omit<VariableContent, 'description'> {
  readonly description?: string | null | undefined;
  readonly protected: boolean;
  /** Hidden variables are never returned, and are always masked. */
  readonly hidden: boolean;
}

/** Creates a variable of this owner. Fails with validation errors by field. */
export async function createVariable(
  { runUnitOfWork, secretKey }: Pick<Services, 'runUnitOfWork' | 'secretKey'>,
  caller: SignedInCaller,
  owner: VariableOwner,
  input: CreateVariableInput,
): Promise<CiVariableRow | Failure<'invalid'>> {
  const key = await secretKey();
  return runUnitOfWork(caller, (uow) => insertValidVariable(uow, key, owner, input), { lock: variablesLockKey(owner) });
}

async function insertValidVariable(
  uow: UnitOfWork,
  secretKey: KeyObject,
  owner: VariableOwner,
  input: CreateVariableInput,
): Promise<CiVariableRow | Failure<'invalid'>> {
  const { value, variable_type, hidden, raw, environment_scope, description = null } = input;
  const flags = { protected: input.protected, masked: input.masked || hidden, hidden, raw };
  const row = { key: input.key.trim(), variable_type, ...flags, environment_scope, description };
  const { key, ...problems } = validateVariable({ ...row, value });
  const errors = compactFieldErrors({
    key: [...key, ...(await validateUniqueKey(uow, owner, row))],
    ...problems,
    base: await validateLimit(uow, owner),
  });
  if (errors !== null) return invalid(errors);
  const variableRow = { ...toOwnerColumns(owner), ...row };
  const variable = await insertVariable(uow, {
    ...variableRow,
    encrypted_value: encryptValue(secretKey, variableRow, value),
  });
  await recordVariableCreated(uow, owner, variable);
  return variable;
}

/** Returns an error if the owner has a variable with this key and scope. */
export async function validateUniqueKey(
  uow: UnitOfWork,
  owner: VariableOwner,
  { key, environment_scope }: Pick<CiVariableRow, 'key' | 'environment_scope'>,
): Promise<string[]> {
  const variables = await findVariablesByKey(uow, owner, key, environment_scope);
  return variables.length > 0 ? [`(${key}) has already been taken`] : [];
}

async function validateLimit(uow: UnitOfWork, owner: VariableOwner): Promise<string[]> {
  const { maxVariables, limitNoun } = OWNER_TYPES[owner.type];
  return (await countVariables(uow, owner)) < maxVariables
    ? []
    : [`Maximum number of ${limitNoun} (${maxVariables}) exceeded`];
}
