import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { startReadingGitBody } from './request-body.ts';
export { createGitHeaders, streamGitResponse } from './serve.ts';

export const gitHttp = resourceModule({ endpoints });
