import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

// Shared with users, projects and groups.
export { customAttributesField, loadRequestedCustomAttributes, pickCustomAttributes } from './entities.ts';
export { customAttributeParams, toCustomAttributeFilter, withCustomAttributes } from './parameters.ts';
export { type CustomAttributeFilter, type CustomAttributesById, customAttributeConditions } from './store.ts';

export const customAttributes = resourceModule({ endpoints });
