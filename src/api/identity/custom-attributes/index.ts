import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

// Shared with users, projects and groups.
export {
  customAttributeParams,
  customAttributesField,
  loadRequestedCustomAttributes,
  pickCustomAttributes,
  toCustomAttributeFilter,
  withCustomAttributes,
} from './entities.ts';
export { type CustomAttributeFilter, type CustomAttributesById, customAttributeConditions } from './store.ts';

export const customAttributes = resourceModule({ endpoints });
