import type { KeyObject } from 'node:crypto';
import { type AuditEvent, describeChange, INSTANCE } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { NullablePartial } from '#http/parameters/declarations.ts';
import type { Services } from '#http/services.ts';
import { compactFieldErrors, type Failure, fail, invalid } from '#runtime/failure.ts';
import { OWNER_TYPES, type VariableOwner, variablesLockKey } from './owner.ts';
import {
  type CiVariableRow,
  countVariables,
  decryptValue,
  deleteVariable,
  encryptValue,
  findVariable,
  findVariablesByKey,
  insertVariable,
  toOwnerColumns,
  updateVariable,
} from './store.ts';
import { type VariableContent, validateVariable } from './validation.ts';

interface CreateVariableInput extends Omit<VariableContent, 'description'> {
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
async function validateUniqueKey(
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

/** Absent values stay unchanged. A null description clears it. */
type UpdateVariableInput = NullablePartial<Omit<VariableContent, 'key'> & { protected: boolean }>;

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

/** Deletes a variable. Jobs that start later do not get it. */
export async function deleteVariableAndRecord(
  uow: UnitOfWork,
  owner: VariableOwner,
  variable: CiVariableRow,
): Promise<undefined | Failure<'notFound'>> {
  if (!(await deleteVariable(uow, variable.id))) return fail('notFound');
  await recordVariableDeleted(uow, owner, variable);
}

// Audit events of variables (contract/activity.md Part 3). They never contain values, only the fact that a value
// changed.

type VariableAuditEvent = Pick<AuditEvent, 'message' | 'details'>;
type VariableAction = 'created' | 'updated' | 'deleted';

function recordVariableCreated(uow: UnitOfWork, owner: VariableOwner, variable: CiVariableRow): Promise<void> {
  const { auditNoun, auditEventPrefix } = OWNER_TYPES[owner.type];
  return record(uow, owner, variable, 'created', { message: `Added ${auditNoun}`, details: { add: auditEventPrefix } });
}

function recordVariableDeleted(uow: UnitOfWork, owner: VariableOwner, variable: CiVariableRow): Promise<void> {
  const { auditNoun, auditEventPrefix } = OWNER_TYPES[owner.type];
  return record(uow, owner, variable, 'deleted', {
    message: `Removed ${auditNoun}`,
    details: { remove: auditEventPrefix },
  });
}

/** Records one event for each changed attribute. */
async function recordVariableUpdated(
  uow: UnitOfWork,
  owner: VariableOwner,
  before: CiVariableRow,
  after: CiVariableRow,
  hasNewValue: boolean,
): Promise<void> {
  const events: VariableAuditEvent[] = [
    ...describeIfChanged('variable protection', Boolean(before.protected), Boolean(after.protected)),
    ...describeIfChanged('variable masking', Boolean(before.masked), Boolean(after.masked)),
    ...describeIfChanged('environment scope', before.environment_scope, after.environment_scope),
    ...(hasNewValue ? [describeChange('value(hidden)')] : []),
  ];
  for (const event of events) await record(uow, owner, after, 'updated', event);
}

/** Returns one event if the values differ, else none. */
function describeIfChanged<V extends string | boolean>(property: string, before: V, after: V): VariableAuditEvent[] {
  return before === after ? [] : [describeChange(property, before, after)];
}

function record(
  uow: UnitOfWork,
  owner: VariableOwner,
  { id, key }: CiVariableRow,
  action: VariableAction,
  auditEvent: VariableAuditEvent,
): Promise<void> {
  const { auditEventPrefix, auditTargetType } = OWNER_TYPES[owner.type];
  return uow.record({
    name: `${auditEventPrefix}_${action}`,
    entity: toAuditEntity(owner),
    target: { type: auditTargetType, id, details: key },
    ...auditEvent,
  });
}

function toAuditEntity(owner: VariableOwner): AuditEvent['entity'] {
  if (owner.type === 'instance') return INSTANCE;
  return { type: owner.type === 'project' ? 'Project' : 'Group', id: owner.id, path: owner.full_path };
}
