import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { html, ok } from '#http/endpoint/responses.ts';
import packageJson from '../../../../package.json' with { type: 'json' };
import { OpenApi } from './entities.ts';
import { DOCUMENTATION_PAGE } from './page.ts';

export const getOpenApiDocument = endpoint({
  get: '/openapi.json',
  summary: 'Get the OpenAPI 3.1 document',
  access: open(),
  response: ok(OpenApi),
  handle: ({ base }, { describeApi }) => describeApi({ url: base.url, version: packageJson.version }),
});

export const getDocumentationPage = endpoint({
  get: '/api/docs',
  summary: 'Get the API documentation page',
  access: open(),
  root: true,
  response: html,
  read: () => DOCUMENTATION_PAGE,
});
