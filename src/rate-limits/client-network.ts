import ipaddr from 'ipaddr.js';

/**
 * Returns the network by which limits count a client: an IPv4 address, or the /64 network of an IPv6 address, because one
 * connection has all of its addresses.
 */
export function getClientNetwork(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : `${parsed.parts.slice(0, 4).join(':')}/64`;
}
