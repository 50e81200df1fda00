import type { KeyObject } from 'node:crypto';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fieldErrors, invalid } from '#runtime/failure.ts';
import { recordAdded } from './activity.ts';
import { sealValue } from './encryption.ts';
import { KINDS, type Owner, turnOfOwner } from './owner.ts';
import { columnsOf, countVariables, insertVariable, type StoredVariable, variablesNamed } from './store.ts';
import { type Described, problemsOf } from './validation.ts';

export interface NewVariable extends Omit<Described, 'description'> {
  readonly description?: string | null | undefined;
  readonly protected: boolean;
  /** Shown to nobody, and masked therefore. */
  readonly hidden: boolean;
}

/** Has the owner keep a variable. */
export async function createVariable(
  { runUnitOfWork, secretKey }: Pick<Services, 'runUnitOfWork' | 'secretKey'>,
  caller: SignedInCaller,
  owner: Owner,
  wish: NewVariable,
): Promise<StoredVariable | Failure<'invalid'>> {
  const key = await secretKey();
  return runUnitOfWork(caller, (uow) => create(uow, key, owner, wish), { turn: turnOfOwner(owner) });
}

async function create(
  uow: UnitOfWork,
  secretKey: KeyObject,
  owner: Owner,
  wish: NewVariable,
): Promise<StoredVariable | Failure<'invalid'>> {
  const { value, variable_type, hidden, raw, environment_scope, description = null } = wish;
  const flags = { protected: wish.protected, masked: wish.masked || hidden, hidden, raw };
  const row = { key: wish.key.trim(), variable_type, ...flags, environment_scope, description };
  const { key, ...problems } = problemsOf({ ...row, value });
  const errors = fieldErrors({
    key: [...key, ...(await takenTexts(uow, owner, row))],
    ...problems,
    base: await limitTexts(uow, owner),
  });
  if (errors !== null) return invalid(errors);
  const place = { ...columnsOf(owner), ...row };
  const variable = await insertVariable(uow, { ...place, encrypted_value: sealValue(secretKey, place, value) });
  await recordAdded(uow, owner, variable);
  return variable;
}

/** The text of a key that the owner has for that scope already. */
export async function takenTexts(
  uow: UnitOfWork,
  owner: Owner,
  { key, environment_scope }: Pick<StoredVariable, 'key' | 'environment_scope'>,
): Promise<string[]> {
  const found = await variablesNamed(uow, owner, key, environment_scope);
  return found.length > 0 ? [`(${key}) has already been taken`] : [];
}

async function limitTexts(uow: UnitOfWork, owner: Owner): Promise<string[]> {
  const { most, all } = KINDS[owner.type];
  return (await countVariables(uow, owner)) < most ? [] : [`Maximum number of ${all} (${most}) exceeded`];
}
