export { type CheckedUrl, checkUrl, type OutboundRules, type Resolver, systemResolver } from './check.ts';
export {
  createOutbound,
  type Outbound,
  type OutboundAnswer,
  type OutboundOptions,
  type OutboundRequest,
} from './client.ts';
export { type FailureKind, OutboundFailure } from './failure.ts';
