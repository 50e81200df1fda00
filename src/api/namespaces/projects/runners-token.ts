import type { TSchema } from 'typebox';
import { findRegistrationToken, type RunnerOwnerRef } from '#domain/runners/registration-tokens.ts';
import type { Entity, SerializationContext } from '#http/endpoint/entity.ts';
import { createMerger } from '#http/endpoint/merge-disjoint.ts';

/**
 * Returns the entity with `runners_token` added: the registration token of the runner owner that `getRunnerOwner`
 * returns, or null where registration is not allowed (contract/runners.md §2.2). The field must be optional in the entity's schema.
 */
export function withRunnersToken<Row, Schema extends TSchema>(
  innerEntity: Entity<Row, Schema>,
  getRunnerOwner: (row: Row, context: SerializationContext) => RunnerOwnerRef | null,
): Entity<Row, Schema> {
  const merge = createMerger();
  return {
    schema: innerEntity.schema,
    async serializeAll(rows, context) {
      const [shapes, tokens] = await Promise.all([
        innerEntity.serializeAll(rows, context),
        Promise.all(rows.map((row) => findRunnersToken(getRunnerOwner(row, context), context))),
      ]);
      return shapes.map((shape, index) =>
        tokens[index] === undefined ? shape : merge(shape as object, { runners_token: tokens[index] }),
      ) as typeof shapes;
    },
  };
}

/** Returns the token; null where registration is not allowed, undefined without an owner. */
async function findRunnersToken(
  runnerOwner: RunnerOwnerRef | null,
  { db, secretKey }: SerializationContext,
): Promise<string | null | undefined> {
  return runnerOwner === null ? undefined : findRegistrationToken(db, await secretKey(), runnerOwner);
}
