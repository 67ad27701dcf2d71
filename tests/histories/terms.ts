/** What managers decide that counts from its own time on, however late Stripe's events arrive. */
import fc from 'fast-check'
import { sendImport, withPartner } from './acts.ts'
import { changeOf, rewardOf, type Terms, terms } from './settings.ts'
import { addressOf, maybe, person, program, step, which } from './steps.ts'
import { emailOf, SLUGS } from './world.ts'

type CustomerRow = {
  who: string
  isStripes: boolean
  address: string | null
  slug: string
  startedAt: string | null
  program: number | null
}
const customerRow = fc.record<CustomerRow>({
  ...{
    who: person,
    isStripes: fc.boolean(),
    address: maybe(person),
    slug: fc.constantFrom(...SLUGS),
  },
  startedAt: fc.constantFrom(null, '2026-08-01', '2024-01-01'),
  program: fc.constantFrom(0, 1, null),
})

const imported = (name: string, options: object) =>
  step<{ rows: CustomerRow[] }>(
    name,
    { rows: fc.array(customerRow, { minLength: 1, maxLength: 3 }) },
    (history, { rows }) =>
      sendImport(history, '/customers/import', {
        rows: rows.map(({ who, isStripes, address, slug, startedAt, program }) => ({
          customerExternalId: isStripes ? history.customerOf(who) : who,
          ...(address && { customerEmail: addressOf(address) }),
          ...{ partnerEmail: emailOf(slug), startedAt },
          ...(program !== null && { programId: history.programOf(program) }),
        })),
        options,
      }),
  )

/** Whose the others are counts as it is known when it is imported. */
export const keepingImport = imported('customers whom nobody owns are imported', {
  keepOwners: true,
})

export const termSteps = {
  customersImported: imported('customers are imported', {}),
  edited: step<{ program: number; terms: Terms }>(
    'terms are edited',
    { program, terms },
    (history, drawn) =>
      history.manage(
        'PATCH',
        `/programs/${history.programOf(drawn.program)}`,
        changeOf(drawn.terms),
      ),
  ),
  programEdited: step<{ program: number; change: object }>(
    'another setting of a program is edited',
    {
      program,
      change: fc.constantFrom(
        ...[
          { holdingDays: 3 },
          { netDays: 15 },
          { netDays: null },
          { attributionDays: 1 },
          { attributionDays: 90 },
        ],
        ...[
          { oneTimeMinimumCents: 4_000 },
          { creditOutOfBand: true },
          { lateLeadDays: 0 },
          { lateLeadDays: 30 },
          { selfReferrals: 'allow' },
          { unverifiedAddresses: 'hold' },
          { unverifiedAddresses: 'allow' },
        ],
      ),
    },
    (history, { program, change }) =>
      history.manage('PATCH', `/programs/${history.programOf(program)}`, change),
  ),
  groupEdited: step<{ program: number; change: object }>(
    'the rewards of a group are edited',
    {
      program,
      change: fc.constantFrom(
        ...[{ saleReward: { kind: 'percent', percent: 45 } }, { saleReward: null }],
        { saleReward: rewardOf({ percent: 5, rules: 'products', caps: 'none' }) },
        ...[
          { leadReward: { kind: 'flat', amountCents: 250, currency: 'USD' } },
          { leadReward: null },
        ],
      ),
    },
    (history, { program, change }) =>
      history.manage('PATCH', `/groups/${history.groupOf(history.programOf(program))}`, change),
  ),
  moved: step<{ which: number; isIn: boolean }>(
    'a partner moves into its group or out of it',
    { which, isIn: fc.boolean() },
    withPartner((history, { id, programId }, { isIn }) =>
      history.manage('PATCH', `/partners/${id}`, {
        groupId: isIn ? history.groupOf(programId) : null,
      }),
    ),
  ),
  ownReward: step<{ which: number; reward: object | null }>(
    'a partner gets a reward of its own, or loses it',
    {
      which,
      reward: fc.constantFrom(
        ...[null, { kind: 'percent', percent: 60 }],
        ...[
          rewardOf({ percent: 25, rules: 'payments', caps: 'customer' }),
          rewardOf({ percent: null, rules: 'products', caps: 'none' }),
        ],
      ),
    },
    withPartner((history, { id }, { reward }) =>
      history.manage('PATCH', `/partners/${id}`, { reward }),
    ),
  ),
  banned: step<{ which: number; status: string }>(
    'a partner is banned or approved',
    { which, status: fc.constantFrom('banned', 'approved') },
    withPartner((history, { id }, { status }) =>
      history.manage('PATCH', `/partners/${id}`, { status }),
    ),
  ),
  salesFrom: step<{ salesFrom: string }>(
    'others report sales from now on',
    { salesFrom: fc.constantFrom('both', 'stripe', 'api') },
    (history, change) => history.manage('PATCH', '/settings', change),
  ),
  cron: step('the cron runs', {}, (history) => history.cron()),
}
