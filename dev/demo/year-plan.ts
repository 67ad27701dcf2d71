/**
 * What happens in the demo's year: who the partners are, who clicks, and what buyers report. The
 * same every time, but for ids.
 */
import { newClickId } from '../../lib/db/ids.ts'
import type { Report } from '../../lib/rules/steps/report.ts'
import { toAscii } from '../../lib/values/slugs.ts'

export const DAY_MS = 86_400_000
export const DAYS = 365
const PARTNERS = 60

/** Mulberry32: random numbers from 0 to 1 that are the same every time. */
export const createDice = (seed: number) => {
  let state = seed
  const roll = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    roll,
    pick: <T>(list: readonly [T, ...T[]]): T => list[Math.floor(roll() * list.length)] ?? list[0],
    between: (from: number, to: number): number => from + roll() * (to - from),
  }
}
type Dice = ReturnType<typeof createDice>

const FIRST_NAMES = [
  'Ada',
  'Amir',
  'Bea',
  'Carlos',
  'Chioma',
  'Dana',
  'Elif',
  'Emeka',
  'Freya',
  'Giulia',
  'Hana',
  'Ivo',
  'Jonas',
  'Kaito',
  'Lena',
  'Mateo',
  'Nina',
  'Oskar',
  'Priya',
  'Rosa',
  'Sami',
  'Tomás',
  'Uma',
  'Viktor',
  'Wanjiru',
  'Yuki',
] as const
const LAST_NAMES = [
  'Adeyemi',
  'Bauer',
  'Castillo',
  'Dubois',
  'Eriksen',
  'Ferrari',
  'García',
  'Haddad',
  'Ivanova',
  'Jensen',
  'Kim',
  'Lindqvist',
  'Moreau',
  'Nakamura',
  'Okafor',
  'Patel',
  'Quinn',
  'Rossi',
  'Schmidt',
  'Tanaka',
  'Ueda',
  'Weber',
] as const

const PAGES = [
  '/',
  '/',
  '/',
  '/pricing',
  '/pricing',
  '/templates',
  '/blog/how-to-outline-a-book',
  '/blog/ten-habits',
] as const
const REFERRERS = [
  null,
  null,
  'https://www.youtube.com/',
  'https://www.google.com/',
  'https://news.example.org/',
  'https://x.com/',
] as const
const PRICES = [900, 900, 1_900, 1_900, 1_900, 4_900] as const
export const ORIGIN = 'https://alder.example'

export type Partner = { id: string; name: string; email: string; weight: number; joined: Date }

/** Partners who have joined in the course of the year, few of whom bring most. */
export const createPartners = (dice: Dice, start: Date): Omit<Partner, 'id'>[] => {
  const names = new Set<string>()
  while (names.size < PARTNERS) names.add(`${dice.pick(FIRST_NAMES)} ${dice.pick(LAST_NAMES)}`)
  return [...names].map((name, index) => ({
    name,
    email: `${toAscii(name)}@partners.example`,
    weight: 1 / (index + 1) ** 0.8,
    joined: new Date(start.getTime() + (index < 25 ? 0 : dice.between(10, DAYS - 12)) * DAY_MS),
  }))
}

export type Click = {
  id: string
  partnerId: string
  at: Date
  landingUrl: string
  referrer: string | null
  days: number
}

/** Clicks of each partner since it joined, more on weekdays, and more every month. */
export const createClicks = (dice: Dice, partners: Partner[], start: Date, now: Date): Click[] =>
  partners.flatMap(({ id, joined, weight }) => {
    const clicks: Click[] = []
    for (let time = joined.getTime(); time < now.getTime(); time += DAY_MS) {
      const weekday = new Date(time).getUTCDay()
      const growth = 0.4 + (time - start.getTime()) / (DAYS * DAY_MS)
      const expected = weight * 7 * growth * (weekday % 6 === 0 ? 0.6 : 1)
      const count = Math.floor(expected * dice.between(0.3, 1.7) + dice.roll())
      for (let click = 0; click < count; click++) {
        const at = new Date(time + dice.roll() * DAY_MS)
        const landingUrl = `${ORIGIN}${dice.pick(PAGES)}`
        if (at < now)
          clicks.push({
            id: newClickId(),
            partnerId: id,
            at,
            landingUrl,
            referrer: dice.pick(REFERRERS),
            days: 90,
          })
      }
    }
    return clicks
  })

export type Timed = { at: Date; report: Report }

/**
 * What the buyers do who came by some of the clicks: sign up, and pay every month until they leave.
 */
export const createReports = (dice: Dice, clicks: Click[], now: Date): Timed[] => {
  let orders = 1_000
  const report = (
    kind: 'lead' | 'sale',
    buyer: number,
    at: Date,
    more: Partial<Report>,
  ): Timed => ({
    at,
    report: {
      kind,
      externalId: kind === 'lead' ? `user-${buyer}` : `order-${orders++}`,
      customerExternalId: `user-${buyer}`,
      customerEmail: null,
      customerName: null,
      clickId: null,
      eventName: kind === 'lead' ? 'signup' : 'subscription',
      metadata: null,
      sale: null,
      ...more,
    },
  })
  const reports: Timed[] = []
  let buyers = 0
  for (const click of clicks) {
    const sale = {
      amountCents: BigInt(dice.pick(PRICES)),
      currency: dice.roll() < 0.15 ? 'EUR' : 'USD',
    }
    const fate = dice.roll()
    // Nobody is credited with these: the click has expired, or was lost.
    if (fate > 0.99) {
      const late = new Date(click.at.getTime() + dice.between(91, 120) * DAY_MS)
      reports.push(
        report('sale', ++buyers, late, { clickId: fate > 0.993 ? click.id : null, sale }),
      )
    }
    if (fate > 0.06) continue
    const buyer = ++buyers
    const name = `${dice.pick(FIRST_NAMES)} ${dice.pick(LAST_NAMES)}`
    const customer = { customerEmail: `${toAscii(name)}.${buyer}@example.com`, customerName: name }
    const signedUp = new Date(click.at.getTime() + dice.between(0.01, 2) * DAY_MS)
    reports.push(report('lead', buyer, signedUp, { ...customer, clickId: click.id }))
    if (dice.roll() > 0.55) continue
    let paid = new Date(signedUp.getTime() + dice.between(0.1, 14) * DAY_MS)
    while (paid < now) {
      reports.push(report('sale', buyer, paid, { clickId: click.id, sale }))
      if (dice.roll() < 0.14) break
      paid = new Date(paid.getTime() + 30 * DAY_MS)
    }
  }
  return reports.filter(({ at }) => at < now).sort((a, b) => a.at.getTime() - b.at.getTime())
}
