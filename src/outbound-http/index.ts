export { type OutboundRules, SCHEME_ERROR } from './check-url.ts';
export {
  createOutbound,
  type Outbound,
  type OutboundResponse,
} from './client.ts';
export { OutboundFailure } from './failure.ts';
export type { Resolver } from './resolver.ts';
