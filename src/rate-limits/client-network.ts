import ipaddr from 'ipaddr.js';

/**
 * Whom a limit by address counts: an IPv4 address by itself, of IPv6 the network of 64 bits, for a single connection has
 * all of its addresses.
 */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : `${parsed.parts.slice(0, 4).join(':')}/64`;
}
