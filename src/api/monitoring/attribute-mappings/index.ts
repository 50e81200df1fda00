// Mappings from payloads to alert fields, for integrations and alerts: a resource module without endpoints.
export { getValueAtPath, isMapping, type MappedField, type Mapping, parseMapping } from './mapping.ts';
