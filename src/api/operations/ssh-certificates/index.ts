import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { onGroupTransferred } from './on-delete.ts';

export const sshCertificates = resourceModule({ endpoints, subscriptions: [onGroupTransferred] });
