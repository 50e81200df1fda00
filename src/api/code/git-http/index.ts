import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { startBody } from './request-body.ts';
export { gitHeaders, streamGitResponse } from './serve.ts';

export const gitHttp = resourceModule({ endpoints });
