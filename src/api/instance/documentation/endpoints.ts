import { Type } from 'typebox';
import packageJson from '../../../../package.json' with { type: 'json' };
import { open } from '../../../http/access/access.ts';
import { openApiDocument } from '../../../http/documents/openapi.ts';
import { entity, html, shape } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { documentationPage } from './page.ts';

const OpenApi = shape('OpenApi', {
  openapi: Type.String(),
  info: Type.Object({}),
  servers: Type.Array(Type.Object({ url: Type.String() })),
  tags: Type.Array(Type.Object({ name: Type.String() })),
  paths: Type.Object({}),
  components: Type.Object({}),
});

export const readOpenapi = endpoint({
  get: '/openapi.json',
  summary: 'This API as an OpenAPI 3.1 document',
  access: open(),
  answer: entity(OpenApi),
  handle: ({ registry, base }) => openApiDocument(registry, { url: base.url, version: packageJson.version }),
});

export const readDocs = endpoint({
  get: '/api/docs',
  summary: 'This API as a page to read',
  access: open(),
  root: true,
  answer: html,
  handle: () => documentationPage,
});
