/** A webhook must not reach what only this installation can reach: docs/security.md, "Webhooks". */
import { expect, test } from 'vitest'
import { urlRefusal } from '../../lib/webhooks/url.ts'

test.each([
  ['http', 'http://example.com/'],
  ['another scheme', 'file:///etc/passwd'],
  ['no URL', 'example.com'],
  ['a password', 'https://ann:secret@example.com/'],
  ['localhost', 'https://localhost/'],
  ['localhost, with the dot of the root', 'https://localhost./'],
  ['localhost in capitals', 'https://LOCALHOST:8443/'],
  ['a name below localhost', 'https://shop.localhost/'],
  ['a name without a dot', 'https://intranet/'],
  ['a name of mDNS', 'https://printer.local/'],
  ['Google’s metadata by name', 'https://metadata.google.internal/computeMetadata/v1/'],
  ['a name of a home network', 'https://router.home.arpa/'],
  ['loopback', 'https://127.0.0.1/'],
  ['loopback in decimal', 'https://2130706433/'],
  ['loopback in octal', 'https://0177.0.0.1/'],
  ['loopback in hexadecimal', 'https://0x7f.1/'],
  ['loopback, cut short', 'https://127.1/'],
  ['loopback in full-width digits', 'https://１２７.0.0.1/'],
  ['loopback, with the dot of the root', 'https://127.0.0.1./'],
  ['0.0.0.0', 'https://0/'],
  ['the metadata of clouds', 'https://169.254.169.254/latest/meta-data/'],
  ['10/8', 'https://10.1.2.3/'],
  ['172.16/12, at its end', 'https://172.31.255.255/'],
  ['192.168/16', 'https://192.168.0.1/'],
  ['carrier-grade NAT', 'https://100.64.0.1/'],
  ['multicast', 'https://224.0.0.1/'],
  ['broadcast', 'https://255.255.255.255/'],
  ['IPv6 loopback', 'https://[::1]/'],
  ['IPv6 unspecified', 'https://[::]/'],
  ['IPv4 in IPv6', 'https://[::ffff:10.0.0.1]/'],
  ['IPv4 in IPv6, in hexadecimal', 'https://[::ffff:7f00:1]/'],
  ['NAT64', 'https://[64:ff9b::a00:1]/'],
  ['6to4', 'https://[2002:a00:1::]/'],
  ['Teredo', 'https://[2001::1]/'],
  ['IPv6 link-local', 'https://[fe80::1]/'],
  ['IPv6 unique local', 'https://[fd00::1]/'],
  ['IPv6 multicast', 'https://[ff02::1]/'],
])('%s is refused: %s', (_, url) => {
  expect(urlRefusal(url, false)).toEqual(expect.any(String))
})

test.each([
  ['https://example.com/webhooks?token=1#x'],
  ['https://shop.example.co.uk:8443/'],
  ['https://bücher.example.com/'],
  ['https://8.8.8.8/'],
  ['https://172.32.0.1/'],
  ['https://[2606:4700::1111]/'],
  ['https://local.example.com/'],
])('a public address is accepted: %s', (url) => {
  expect(urlRefusal(url, false)).toBeNull()
})

test.each([
  ['http://127.0.0.1:3000/webhooks', null],
  ['http://localhost:3000/webhooks', null],
  ['http://10.0.0.1/', expect.any(String)],
  ['https://169.254.169.254/', expect.any(String)],
  ['http://example.com/', expect.any(String)],
])('in development, this machine alone is accepted too: %s', (url, refusal) => {
  expect(urlRefusal(url, true)).toEqual(refusal)
})
