import { expect, test } from 'vitest'
import { statusOf } from '../../../islands/import/rules/reading/statuses.ts'

test.each([
  { kind: 'active', words: ['Approved', 'active', 'ACCEPTED'] },
  { kind: 'pending', words: ['pending', 'Invited'] },
  {
    kind: 'ended',
    words: [
      'rejected',
      'declined',
      'Blocked',
      'banned',
      'suspended',
      'deactivated',
      'archived',
      'inactive',
    ],
  },
  { kind: 'other', words: ['VIP', 'nicht aktiv', '3'] },
])('$words are $kind', ({ kind, words }) => {
  expect(words.map((word) => statusOf(word)?.kind)).toEqual(words.map(() => kind))
})

test('a partner without a status counts as active', () => expect(statusOf(' ')).toBeNull())
