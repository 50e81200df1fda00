import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';

/** The OpenAPI document; its parts are not described further. */
export const OpenApi = entity('OpenApi', {
  openapi: Type.String(),
  info: Type.Object({}),
  servers: Type.Array(Type.Object({ url: Type.String() })),
  tags: Type.Array(Type.Object({ name: Type.String() })),
  paths: Type.Object({}),
  components: Type.Object({}),
});
