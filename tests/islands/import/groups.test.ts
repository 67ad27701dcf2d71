/** Which group the partners of a file's groups join. */
import { expect, test } from 'vitest'
import {
  createsGroups,
  groupOf,
  groupsIn,
  likelyChoices,
} from '../../../islands/import/rules/groups.ts'

test('the groups of a file are listed, the largest first; partners without one are in none', () => {
  const partners = ['VIP', 'Default', 'Default', undefined].map((group) => (group ? { group } : {}))
  expect(groupsIn(partners)).toEqual([
    { name: 'Default', partners: 2 },
    { name: 'VIP', partners: 1 },
  ])
})

test('a group of the same name is proposed, unless there are two', () => {
  const here = [
    { id: '1', name: 'vip' },
    { id: '2', name: 'Twin' },
    { id: '3', name: 'twin' },
  ]
  const groups = ['VIP', 'Twin', 'Other'].map((name) => ({ name, partners: 1 }))
  expect(likelyChoices(groups, here)).toEqual({ VIP: '1' })
})

test.each([
  { case: 'a chosen group', group: 'VIP', field: { group: 'id-1' } },
  { case: 'one that is created', group: 'New', field: { group: 'New' } },
  { case: 'one that was left out', group: 'Default', field: {} },
  { case: 'no group', group: undefined, field: {} },
])('a row of $case', ({ group, field }) => {
  const choices = { VIP: 'id-1', New: null }
  expect(groupOf(group === undefined ? {} : { group }, choices)).toEqual(field)
  expect(createsGroups(choices)).toBe(true)
  expect(createsGroups({ VIP: 'id-1' })).toBe(false)
})
