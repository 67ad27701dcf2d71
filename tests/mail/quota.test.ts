import { expect, test } from 'vitest'
import { type QuotaSettings, roomOf, UNUSED, type Usage } from '../../lib/mail/outbox/quota.ts'

const NOW = new Date('2026-11-24T12:00:00Z')
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000)
const ENDLESS = { left: Number.POSITIVE_INFINITY, unreserved: Number.POSITIVE_INFINITY }
/** The free plan, as its answers say. */
const free = (dailyUsed: number, hours = 0): Usage => ({
  ...UNUSED,
  dailyUsed,
  monthlyUsed: dailyUsed,
  reportedAt: hoursAgo(hours),
})

test.each<{ case: string; settings?: QuotaSettings; usage: Usage; room: object }>([
  { case: 'nothing is known: no quota', usage: UNUSED, room: ENDLESS },
  {
    case: 'a paid plan has no daily quota',
    usage: { ...free(0), dailyUsed: null, monthlyUsed: 49_999 },
    room: ENDLESS,
  },
  {
    case: 'the free plan is known by its answers',
    usage: free(1),
    room: { left: 99, unreserved: 69 },
  },
  { case: 'all but the reserve is used', usage: free(70), room: { left: 30, unreserved: 0 } },
  { case: 'all is used', usage: free(100), room: { left: 0, unreserved: 0 } },
  {
    case: 'the provider has counted more than it allows',
    usage: free(120),
    room: { left: 0, unreserved: 0 },
  },
  {
    case: 'an old answer lets one mail ask again',
    usage: free(70, 6),
    room: { left: 30, unreserved: 1 },
  },
  { case: 'not if nothing is left', usage: free(100, 6), room: { left: 0, unreserved: 0 } },
  {
    case: 'an answer of yesterday holds no longer',
    usage: free(100, 24),
    room: { left: 100, unreserved: 70 },
  },
  {
    case: 'our own count, of a provider whose answers don’t say',
    settings: { MAIL_DAILY_QUOTA: '200' },
    usage: { ...UNUSED, sentToday: 150 },
    room: { left: 50, unreserved: 0 },
  },
  {
    case: 'the setting beats the free plan’s',
    settings: { MAIL_DAILY_QUOTA: '1000', MAIL_QUOTA_RESERVE: '10' },
    usage: free(500),
    room: { left: 500, unreserved: 490 },
  },
  {
    case: 'a month’s quota',
    settings: { MAIL_MONTHLY_QUOTA: '50000' },
    usage: { ...free(0), dailyUsed: null, monthlyUsed: 47_000 },
    room: { left: 3_000, unreserved: 500 },
  },
  {
    case: 'settings that are no numbers count as none',
    settings: { MAIL_DAILY_QUOTA: '-1' },
    usage: UNUSED,
    room: ENDLESS,
  },
])('$case', ({ settings = {}, usage, room }) => {
  expect(roomOf(settings, usage, NOW)).toEqual(room)
})
