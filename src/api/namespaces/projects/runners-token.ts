import type { TSchema } from 'typebox';
import {
  allowsRegistrationTokens,
  getRegistrationToken,
  type RunnerOwnerRef,
} from '#domain/runners/registration-tokens.ts';
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
      const shapes = await innerEntity.serializeAll(rows, context);
      return Promise.all(
        shapes.map(async (shape, index) => {
          const runnerOwner = getRunnerOwner(rows[index]!, context);
          return runnerOwner === null
            ? shape
            : merge(shape as object, { runners_token: await findRunnersToken(runnerOwner, context) });
        }),
      ) as Promise<typeof shapes>;
    },
  };
}

async function findRunnersToken(
  runnerOwner: RunnerOwnerRef,
  { db, secretKey }: SerializationContext,
): Promise<string | null> {
  return (await allowsRegistrationTokens(db, runnerOwner))
    ? getRegistrationToken(db, await secretKey(), runnerOwner)
    : null;
}
