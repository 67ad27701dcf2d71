// @module-tag thorough
/**
 * A month of a merchant with 100 partners, 500 with EXHAUSTIVE=1, in nine countries, three
 * currencies and two programs, played through by commands and pages: everybody ends with what the
 * model says, which knows the documentation and not the code.
 */
import { test } from 'vitest'
import { isExhaustive } from '../support/thorough.ts'
import { CLUB, COUNTRIES, MANAGER, SHOP, UNREACHABLE } from './month/merchant.ts'
import { type Merchant, openMerchant } from './month/play.ts'
import type { Currency, Partner, Person } from './month/terms.ts'
import { afterwards, firstRun, secondRun, withoutMoney } from './month/week-1.ts'
import { byBank, bySchedule, newDetails } from './month/week-2.ts'
import { failures, lastRuns, odds, withApproval, withDocuments } from './month/week-3.ts'
import { inParallel, useWorld } from './month/world.ts'

const world = useWorld()

/** Partners are a tenth more: who is in both programs counts twice. */
const PEOPLE = isExhaustive ? 500 : 91

/** Every so many-th of a list, from one of them on. */
const every = <T>(list: T[], step: number, from = 0): T[] =>
  list.filter((_, index) => index % step === from)

const partnerOf = (person: Person, program: Partner['program'], slug: string): Partner => ({
  ...{
    id: '',
    slug,
    person,
    program,
    isBanned: false,
    minimumCents: null,
    hasDocuments: false,
    isNotified: false,
    tooSmall: {},
  },
})

/** Three in five are partners of the shop, three in ten of the club, and one in ten of both. */
const importEverybody = async (merchant: Merchant) => {
  const people = Array.from(
    { length: PEOPLE },
    (_, index): Person => ({
      address: `p${index}@partner.example`,
      country: COUNTRIES[index % COUNTRIES.length] ?? UNREACHABLE,
      account: null,
      isUnreachable: false,
      wants: [],
      reminders: [],
    }),
  )
  const rowOf = (person: Person, program: Partner['program']) => {
    const index = people.indexOf(person)
    const owed = index % 4 === 3 ? 0 : 3_000 + index * 37
    return { partner: partnerOf(person, program, `${program.key}-${index}`), owed }
  }
  const rowsOf = (program: Partner['program'], isIn: (tenth: number) => boolean) =>
    people.filter((_, index) => isIn(index % 10)).map((person) => rowOf(person, program))
  await merchant.import(
    SHOP,
    rowsOf(SHOP, (tenth) => tenth < 6 || tenth === 9),
    true,
  )
  await world.wait()
  await merchant.import(
    CLUB,
    rowsOf(CLUB, (tenth) => tenth >= 6),
    false,
  )
  await merchant.learnIds()
  return people
}

/** Most connect an account: some by the portal, some leave half-way, and nobody's event arrives. */
const connectMost = async (merchant: Merchant, people: Person[]) => {
  const workspace = await merchant.workspaceId()
  const elsewhere = people.filter(({ country }) => country === UNREACHABLE)
  const others = people.filter((person, index) => person.country !== UNREACHABLE && index % 6 !== 5)
  const [byPortal, directly] = [every(others, 8), others.filter((_, index) => index % 8 !== 0)]
  await inParallel(elsewhere, (person) => merchant.connect(person, 'finish', workspace))
  await inParallel(byPortal, (person, index) =>
    merchant.connect(person, index % 3 === 0 ? 'leave' : 'finish', workspace),
  )
  await merchant.connectDirectly(every(directly, 6), 'in_review')
  await merchant.connectDirectly(directly.filter((_, index) => index % 6 !== 0))
}

test(`a month of ${PEOPLE} partners ends with what the documentation says`, async () => {
  await world.setClock(new Date('2027-02-22T09:00:00Z'))
  const merchant = await openMerchant(world)
  const { model, sleepUntil, compareBooks, comparePartners } = merchant
  const people = await importEverybody(merchant)
  await sleepUntil('2027-02-23')
  await connectMost(merchant, people)
  await sleepUntil('2027-02-24')
  await sellEverywhere(merchant)
  await compareBooks()

  await sleepUntil('2027-03-03')
  verifySome(merchant, people)
  merchant.setBalance('USD', 100_000_000)
  merchant.setBalance('EUR', 20_000)
  merchant.setBalance('KWD', 100_000_000)
  await firstRun(merchant)
  await sleepUntil('2027-03-04')
  await secondRun(merchant)
  await sleepUntil('2027-03-05')
  await withoutMoney(merchant)
  await afterwards(merchant)
  await sleepUntil('2027-03-08')
  await newDetails(merchant)
  await sleepUntil('2027-03-11')
  await merchant.startDay('2027-03-12', () => model.mail('payout_preview', MANAGER))
  await byBank(merchant)
  await sleepUntil('2027-03-14')
  await bySchedule(merchant)
  await sleepUntil('2027-03-18')
  await withApproval(merchant)
  await sleepUntil('2027-03-20')
  await withDocuments(merchant)
  await sleepUntil('2027-03-22')
  await failures(merchant)
  await sleepUntil('2027-03-25')
  await odds(merchant)
  await sleepUntil('2027-03-31')
  await lastRuns(merchant)

  await compareBooks()
  await comparePartners(every(model.partners, 3), '2027-02')
  await comparePartners(model.partners, '2027-03')
}, 600_000)

/** Stripe enables accounts that were in review or left half-way, and nobody hears of it. */
const verifySome = ({ world }: Merchant, people: Person[]): void => {
  for (const { account } of people)
    if (account && account.is !== 'enabled' && account.is !== 'closed') {
      if (account.is === 'in_review') world.stripe().restoreAccount(account.id)
      else world.stripe().onboard(account.id)
      account.is = 'enabled'
    }
}

/**
 * Sales in three currencies, by all of the club and a third of the shop, and leads of a group with
 * a reward in odd units.
 */
const sellEverywhere = async (merchant: Merchant) => {
  const { partners } = merchant.model
  const sellers = partners.filter(({ program }, index) => program === CLUB || index % 3 === 0)
  const currencies: Currency[] = ['EUR', 'KWD', 'USD']
  await inParallel(sellers, (partner, index) =>
    merchant.sell(partner, currencies[index % 3] ?? 'USD', 24_999 + index * 111),
  )
  const group = {
    name: 'Friends',
    leadReward: { kind: 'flat', amountCents: 6_125, currency: 'KWD' },
  }
  const { id: groupId } = await merchant.manager.post<{ id: string }>(
    `/programs/${merchant.idOf(SHOP)}/groups`,
    group,
    201,
  )
  const friends = partners.filter(({ program }, index) => program === SHOP && index % 7 === 2)
  await inParallel(friends, async (partner) => {
    await merchant.manager.patch(`/partners/${partner.id}`, { groupId })
    await merchant.signUp(partner, 'KWD', 6_125)
  })
}
