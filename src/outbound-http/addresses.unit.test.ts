import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getBlockReason, isInAllowList } from './check-url.ts';

const BLOCKED: Record<string, string[]> = {
  'Requests to localhost are not allowed': [
    '127.0.0.1',
    '127.255.0.9',
    '::1',
    '0.0.0.0',
    '::',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '::127.0.0.1',
  ],
  'Requests to the local network are not allowed': [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    'fc00::1',
    'fd12::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    'fec0::1',
  ],
  'Requests to the link local network are not allowed': ['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254'],
  'Requests to the shared address space are not allowed': ['100.64.0.1', '100.127.255.255'],
  'Requests to reserved addresses are not allowed': [
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    'ff02::1',
    '192.0.2.1',
    '198.18.0.1',
    '2001:db8::1',
    '2001::1',
    '::2:0:1',
    'x',
  ],
};

test('rejects non-public addresses with the reason of their range', () => {
  for (const [reason, addresses] of Object.entries(BLOCKED)) {
    for (const address of addresses) assert.equal(getBlockReason(address), reason, address);
  }
});

test('accepts public addresses', () => {
  for (const address of [
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1',
    '::ffff:1.1.1.1',
    '64:ff9b::808:808',
  ]) {
    assert.equal(getBlockReason(address), null, address);
  }
});

test('the allow list names hosts, addresses and ranges, with or without port', () => {
  const yes: [string, string, number, string][] = [
    ['forge.lan', 'forge.lan', 443, '10.0.0.5'],
    ['Forge.lan:8080', 'forge.LAN', 8080, '10.0.0.5'],
    ['10.0.0.5', 'forge.lan', 80, '10.0.0.5'],
    ['10.0.0.5', 'forge.lan', 80, '::ffff:10.0.0.5'],
    ['10.0.0.5:80', '10.0.0.5', 80, '10.0.0.5'],
    ['10.0.0.0/8', 'forge.lan', 80, '10.9.9.9'],
    ['[::1]:80', '::1', 80, '::1'],
    ['::1', '::1', 80, '::1'],
    ['fc00::/7', 'x', 80, 'fd00::1'],
  ];
  for (const [entry, host, port, address] of yes)
    assert.equal(isInAllowList([entry], host, port, address), true, entry);
  const no: [string, string, number, string][] = [
    ['forge.lan', 'a.forge.lan', 443, '10.0.0.5'],
    ['forge.lan:8080', 'forge.lan', 80, '10.0.0.5'],
    ['10.0.0.5', '10.0.0.5.evil.example', 80, '10.0.0.6'],
    ['[::1]:80', '::1', 81, '::1'],
    ['', '', 80, '10.0.0.5'],
    ['0/0', 'x', 80, '10.0.0.5'],
  ];
  for (const [entry, host, port, address] of no)
    assert.equal(isInAllowList([entry], host, port, address), false, entry);
});
