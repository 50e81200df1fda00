export type { OutboundRules, Resolver } from './check.ts';
export {
  createOutbound,
  type Outbound,
  type OutboundAnswer,
} from './client.ts';
export { OutboundFailure } from './failure.ts';
