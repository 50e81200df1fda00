import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { html, streamWith } from '#http/endpoint/responses.ts';
import { buildDocumentReply } from './document.ts';
import { OpenApi } from './entities.ts';
import { DOCUMENTATION_PAGE } from './page.ts';

export const getOpenApiDocument = endpoint({
  get: '/openapi.json',
  summary: 'Get the OpenAPI 3.1 document',
  access: open(),
  response: streamWith({
    schema: OpenApi.schema,
    mediaTypes: ['application/json'],
    headers: ['ETag', 'Cache-Control'],
  }),
  handle: ({ base }, { describeApi }) => buildDocumentReply(describeApi, base.url),
});

export const getDocumentationPage = endpoint({
  get: '/api/docs',
  summary: 'Get the API documentation page',
  access: open(),
  outsideApi: true,
  response: html,
  read: () => DOCUMENTATION_PAGE,
});
