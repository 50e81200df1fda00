import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { type CustomAttribute, type Owner, upsertCustomAttribute } from './store.ts';

/** Adds an attribute or replaces its value. */
export async function setCustomAttribute(
  uow: UnitOfWork,
  owner: Owner,
  attribute: CustomAttribute,
): Promise<CustomAttribute | Failure<'invalid'>> {
  if (attribute.value.trim() === '') return invalid({ value: ["can't be blank"] });
  return upsertCustomAttribute(uow, owner, attribute);
}
