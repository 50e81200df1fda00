import { Type } from 'typebox';
import { rawEntity } from '#http/endpoint/entity.ts';
import { objectSchema } from '#http/endpoint/responses.ts';

export const Alive = rawEntity(objectSchema('Alive', { status: Type.Literal('ok') }));

const status = Type.Union([Type.Literal('ok'), Type.Literal('failed')]);
const Check = Type.Object({
  status,
  message: Type.Optional(Type.String()),
  labels: Type.Optional(Type.Object({ shard: Type.String() })),
});

export const Readiness = rawEntity(
  objectSchema('Readiness', {
    status,
    master_check: Type.Array(Check),
    db_check: Type.Optional(Type.Array(Check)),
    gitaly_check: Type.Optional(Type.Array(Check)),
  }),
);
