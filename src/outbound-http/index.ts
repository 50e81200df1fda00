export type { OutboundRules } from './check-url.ts';
export {
  createOutbound,
  type Outbound,
  type OutboundResponse,
} from './client.ts';
export { OutboundFailure } from './failure.ts';
export type { Resolver } from './resolver.ts';
