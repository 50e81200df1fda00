import type { KeyObject } from 'node:crypto';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { VariableType } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { compactFieldErrors, type Failure, fail, invalid } from '#runtime/failure.ts';
import { recordVariableUpdated } from './activity.ts';
import { validateUniqueKey } from './create.ts';
import { decryptValue, encryptValue } from './encryption.ts';
import { type VariableOwner, variablesLockKey } from './owner.ts';
import { type CiVariableRow, findVariable, updateVariable } from './store.ts';
import { validateVariable } from './validation.ts';

/** Absent values stay unchanged. A null description clears it. */
export interface UpdateVariableInput {
  readonly value?: string | null | undefined;
  readonly variable_type?: VariableType | null | undefined;
  readonly protected?: boolean | null | undefined;
  readonly masked?: boolean | null | undefined;
  readonly raw?: boolean | null | undefined;
  readonly environment_scope?: string | null | undefined;
  readonly description?: string | null | undefined;
}

/** Updates a variable. Its key and whether it is hidden never change. */
export async function updateVariableAndRecord(
  { runUnitOfWork, secretKey }: Pick<Services, 'runUnitOfWork' | 'secretKey'>,
  caller: SignedInCaller,
  owner: VariableOwner,
  { id }: CiVariableRow,
  input: UpdateVariableInput,
): Promise<CiVariableRow | Failure<'invalid' | 'notFound'>> {
  const key = await secretKey();
  return runUnitOfWork(caller, (uow) => updateStoredVariable(uow, key, owner, id, input), {
    lock: variablesLockKey(owner),
  });
}

async function updateStoredVariable(
  uow: UnitOfWork,
  secretKey: KeyObject,
  owner: VariableOwner,
  id: number,
  input: UpdateVariableInput,
): Promise<CiVariableRow | Failure<'invalid' | 'notFound'>> {
  const before = await findVariable(uow, id);
  if (before === null) return fail('notFound');
  const oldValue = decryptValue(secretKey, before);
  const value = input.value ?? oldValue;
  const attributes = applyInput(before, input);
  const { key, ...problems } = validateVariable({ ...attributes, key: before.key, value });
  const hasNewScope = attributes.environment_scope !== before.environment_scope;
  const errors = compactFieldErrors({
    key: [...key, ...(hasNewScope ? await validateUniqueKey(uow, owner, { ...before, ...attributes }) : [])],
    ...problems,
    base: before.hidden && !attributes.masked ? [HIDDEN_IS_FINAL] : [],
  });
  if (errors !== null) return invalid(errors);
  const hasNewValue = value !== oldValue;
  const encryptedColumns = hasNewValue && { encrypted_value: encryptValue(secretKey, before, value) };
  const after = await updateVariable(uow, id, { ...attributes, ...encryptedColumns });
  await recordVariableUpdated(uow, owner, before, after, hasNewValue);
  return after;
}

/** Returns the new attributes, without the value. */
function applyInput(before: CiVariableRow, input: UpdateVariableInput) {
  return {
    variable_type: input.variable_type ?? before.variable_type,
    protected: input.protected ?? before.protected,
    masked: input.masked ?? before.masked,
    raw: input.raw ?? before.raw,
    environment_scope: input.environment_scope ?? before.environment_scope,
    description: input.description === undefined ? before.description : input.description,
  };
}

const HIDDEN_IS_FINAL = 'The visibility setting cannot be changed for masked and hidden variables.';
