import type { KeyObject } from 'node:crypto';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { VariableType } from '#database/tables/pipelines.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail, fieldErrors, invalid } from '#runtime/failure.ts';
import { recordChanges } from './activity.ts';
import { takenTexts } from './create.ts';
import { openValue, sealValue } from './encryption.ts';
import { type Owner, turnOfOwner } from './owner.ts';
import { findVariable, type StoredVariable, updateVariable } from './store.ts';
import { problemsOf } from './validation.ts';

/** What is not given stays as it is; of the description null is something. */
export interface Change {
  readonly value?: string | null | undefined;
  readonly variable_type?: VariableType | null | undefined;
  readonly protected?: boolean | null | undefined;
  readonly masked?: boolean | null | undefined;
  readonly raw?: boolean | null | undefined;
  readonly environment_scope?: string | null | undefined;
  readonly description?: string | null | undefined;
}

/** Changes what a variable is: all but its key, and whether it is hidden. */
export async function changeVariable(
  { runUnitOfWork, secretKey }: Pick<Services, 'runUnitOfWork' | 'secretKey'>,
  caller: SignedInCaller,
  owner: Owner,
  { id }: StoredVariable,
  wish: Change,
): Promise<StoredVariable | Failure<'invalid' | 'gone'>> {
  const key = await secretKey();
  return runUnitOfWork(caller, (uow) => change(uow, key, owner, id, wish), { turn: turnOfOwner(owner) });
}

async function change(
  uow: UnitOfWork,
  secretKey: KeyObject,
  owner: Owner,
  id: number,
  wish: Change,
): Promise<StoredVariable | Failure<'invalid' | 'gone'>> {
  const before = await findVariable(uow, id);
  if (before === null) return fail('gone');
  const oldValue = openValue(secretKey, before);
  const value = wish.value ?? oldValue;
  const set = changed(before, wish);
  const { key, ...problems } = problemsOf({ ...set, key: before.key, value });
  const hasMoved = set.environment_scope !== before.environment_scope;
  const errors = fieldErrors({
    key: [...key, ...(hasMoved ? await takenTexts(uow, owner, { ...before, ...set }) : [])],
    ...problems,
    base: before.hidden && !set.masked ? [STAYS_HIDDEN] : [],
  });
  if (errors !== null) return invalid(errors);
  const hasNewValue = value !== oldValue;
  const sealed = hasNewValue && { encrypted_value: sealValue(secretKey, before, value) };
  const after = await updateVariable(uow, id, { ...set, ...sealed });
  await recordChanges(uow, owner, before, after, hasNewValue);
  return after;
}

/** All but its value. */
function changed(before: StoredVariable, wish: Change) {
  return {
    variable_type: wish.variable_type ?? before.variable_type,
    protected: wish.protected ?? before.protected,
    masked: wish.masked ?? before.masked,
    raw: wish.raw ?? before.raw,
    environment_scope: wish.environment_scope ?? before.environment_scope,
    description: wish.description === undefined ? before.description : wish.description,
  };
}

const STAYS_HIDDEN = 'The visibility setting cannot be changed for masked and hidden variables.';
