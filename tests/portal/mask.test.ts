import { expect, test } from 'vitest'
import { maskCustomer } from '../../lib/values/mask-customer.ts'

test.each([
  { case: 'an address', customer: 'ann@example.com', shown: 'a•••@e•••.com' },
  { case: 'an address of one letter', customer: 'a@b.co', shown: 'a•••@b•••.co' },
  { case: 'an address as short as possible', customer: 'x@y.z', shown: 'x•••@y•••.z' },
  {
    case: 'an address under a subdomain',
    customer: 'ann.smith@mail.example.co.uk',
    shown: 'a•••@m•••.uk',
  },
  { case: 'an address without a dot', customer: 'ann@localhost', shown: 'a•••@l•••' },
  {
    case: 'two at signs: the last separates the domain',
    customer: '"a@b"@example.com',
    shown: '"•••@e•••.com',
  },
  { case: 'an address with nothing after the at sign', customer: 'ann@', shown: 'a•••@•••' },
  {
    case: 'characters that are surrogate pairs',
    customer: '😀nn@😀x.com',
    shown: '😀•••@😀•••.com',
  },
  { case: 'an id', customer: 'user_812', shown: 'us•••' },
  { case: 'Stripe’s id', customer: 'cus_9s6XKzkNRiz8i3', shown: 'cu•••' },
  { case: 'an id of four characters', customer: '8123', shown: '81•••' },
  { case: 'an id of three characters', customer: '812', shown: '8•••' },
  { case: 'an id of one character', customer: '8', shown: '•••' },
  { case: 'an id that starts with an at sign', customer: '@ann', shown: '@a•••' },
])('$case', ({ customer, shown }) => {
  expect(maskCustomer(customer)).toBe(shown)
})
