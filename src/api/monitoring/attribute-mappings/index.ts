// What integrations say of their payloads, and what alerts are read by: a family without endpoints of its own.
export { isMapping, type MappedField, type Mapping, readMapping, valueAt } from './mapping.ts';
