import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { createGitHeaders, startReadingGitBody, streamGitResponse } from './serve.ts';

export const gitHttp = resourceModule({ endpoints });
