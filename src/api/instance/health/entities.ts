import { Type } from 'typebox';
import { bare } from '#http/endpoint/entity.ts';
import { shape } from '#http/endpoint/responses.ts';

export const Alive = bare(shape('Alive', { status: Type.Literal('ok') }));

const status = Type.Union([Type.Literal('ok'), Type.Literal('failed')]);
const Check = Type.Object({
  status,
  message: Type.Optional(Type.String()),
  labels: Type.Optional(Type.Object({ shard: Type.String() })),
});

export const Readiness = bare(
  shape('Readiness', {
    status,
    master_check: Type.Array(Check),
    db_check: Type.Optional(Type.Array(Check)),
    gitaly_check: Type.Optional(Type.Array(Check)),
  }),
);
