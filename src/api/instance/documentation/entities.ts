import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';

/** The document as it is made; what is inside of its parts is OpenAPI's own business. */
export const OpenApi = entity('OpenApi', {
  openapi: Type.String(),
  info: Type.Object({}),
  servers: Type.Array(Type.Object({ url: Type.String() })),
  tags: Type.Array(Type.Object({ name: Type.String() })),
  paths: Type.Object({}),
  components: Type.Object({}),
});
