import type { TSchema } from 'typebox';
import type { RegistrarPlace } from '#domain/runners/initial-registration-tokens.ts';
import { allowsRegistrationTokens, registrationTokenOf } from '#domain/runners/registration-tokens.ts';
import type { Entity, SerializationContext } from '#http/endpoint/entity.ts';
import { joining } from '#http/endpoint/merge-disjoint.ts';

/**
 * The same entity, to those for whom `registrarOf` says whose it is with `runners_token`: the token with which runners
 * register there, null where none may (contract/runners.md §2.2). For single reads. The field is one of the entity's, optional.
 */
export function withRunnersToken<Row, Schema extends TSchema>(
  inner: Entity<Row, Schema>,
  registrarOf: (row: Row, to: SerializationContext) => RegistrarPlace | null,
): Entity<Row, Schema> {
  const join = joining();
  return {
    schema: inner.schema,
    async serializeAll(rows, to) {
      const shapes = await inner.serializeAll(rows, to);
      return Promise.all(
        shapes.map(async (shape, index) => {
          const registrar = registrarOf(rows[index]!, to);
          return registrar === null ? shape : join(shape as object, { runners_token: await tokenOf(registrar, to) });
        }),
      ) as Promise<typeof shapes>;
    },
  };
}

async function tokenOf(registrar: RegistrarPlace, { db, secretKey }: SerializationContext): Promise<string | null> {
  return (await allowsRegistrationTokens(db, registrar)) ? registrationTokenOf(db, await secretKey(), registrar) : null;
}
