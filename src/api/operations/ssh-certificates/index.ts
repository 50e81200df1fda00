import { resourceModule } from '#http/endpoint/resource-module.ts';
import { onGroupTransferred } from './changes.ts';
import * as endpoints from './endpoints.ts';

export const sshCertificates = resourceModule({ endpoints, subscriptions: [onGroupTransferred] });
