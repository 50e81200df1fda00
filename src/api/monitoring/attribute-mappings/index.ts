// Mappings from payloads to alert fields, for integrations and alerts: a resource module without endpoints.
export { isMapping, type MappedField, type Mapping, readMapping, valueAt } from './mapping.ts';
