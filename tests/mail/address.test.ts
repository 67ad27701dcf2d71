import { expect, test } from 'vitest'
import { deliverableAddress, limitedMailbox } from '../../lib/mail/transport/address.ts'

test.each([
  { case: 'an ordinary one', address: 'maya@partners.example', is: 'maya@partners.example' },
  {
    case: 'one with a tag',
    address: 'maya+pine@partners.example',
    is: 'maya+pine@partners.example',
  },
  {
    case: 'an internationalized domain',
    address: 'maya@bücher.example',
    is: 'maya@xn--bcher-kva.example',
  },
  {
    case: 'an internationalized local part, which the transport checks',
    address: 'マヤ@a.example',
    is: 'マヤ@a.example',
  },
  { case: 'two addresses', address: 'a@a.example,b@b.example', is: null },
  { case: 'two at signs', address: 'a@b@c.example', is: null },
  { case: 'a name and an address', address: 'Maya <maya@partners.example>', is: null },
  { case: 'a header injection', address: 'a@a.example\r\nBcc: b@b.example', is: null },
  { case: 'a comment', address: 'a@a.example(b)', is: null },
  { case: 'no domain', address: 'maya@', is: null },
  { case: 'no at sign', address: 'maya', is: null },
  { case: 'an invalid domain', address: 'maya@ü%zz.example', is: null },
  { case: 'nothing', address: '', is: null },
])('$case', ({ address, is }) => {
  expect(deliverableAddress(address)).toBe(is)
})

test.each([
  { case: 'an ordinary one', address: 'maya@partners.example', is: 'maya@partners.example' },
  { case: 'one with a tag', address: 'maya+pine+2@partners.example', is: 'maya@partners.example' },
  {
    case: 'one that is only a tag',
    address: '+maya@partners.example',
    is: 'maya@partners.example',
  },
  { case: 'Gmail with dots and a tag', address: 'm.a.ya+x@googlemail.com', is: 'maya@gmail.com' },
  { case: 'dots elsewhere', address: 'm.aya@partners.example', is: 'm.aya@partners.example' },
])('limits count $case as its mailbox', ({ address, is }) => {
  expect(limitedMailbox(address)).toBe(is)
})
