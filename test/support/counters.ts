import type { Transaction } from '#database/database.ts';

/** Increments a counter and returns its value: a write that conflicts with others of the same counter. */
export async function nextCounterValue(tx: Transaction, name: string): Promise<number> {
  const { value } = await tx
    .insertInto('counters')
    .values({ name, value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ value: eb('counters.value', '+', 1) })))
    .returning('value')
    .executeTakeFirstOrThrow();
  return value;
}
