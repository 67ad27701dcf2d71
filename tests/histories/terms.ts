/** What managers decide that counts from its own time on, however late Stripe's events arrive. */
import fc from 'fast-check'
import { sendImport, withPartner } from './acts.ts'
import { changeOf, type Terms, terms } from './settings.ts'
import { addressOf, person, program, step, which } from './steps.ts'
import { emailOf, SLUGS } from './world.ts'

type CustomerRow = {
  who: string
  isStripes: boolean
  hasAddress: boolean
  slug: string
  startedAt: string | null
  program: number | null
}
const customerRow = fc.record<CustomerRow>({
  ...{ who: person, isStripes: fc.boolean(), hasAddress: fc.boolean(), slug: fc.constantFrom(...SLUGS) },
  startedAt: fc.constantFrom(null, '2026-08-01', '2024-01-01'),
  program: fc.constantFrom(0, 1, null),
})

export const termSteps = {
  customersImported: step<{ rows: CustomerRow[]; keepOwners: boolean }>(
    'customers are imported',
    {
      rows: fc.array(customerRow, { minLength: 1, maxLength: 3 }),
      keepOwners: fc.constantFrom(false, false, true),
    },
    (history, { rows, keepOwners }) =>
      sendImport(history, '/customers/import', {
        rows: rows.map(({ who, isStripes, hasAddress, slug, startedAt, program }) => ({
          customerExternalId: isStripes ? history.customerOf(who) : who,
          ...(hasAddress && { customerEmail: addressOf(who) }),
          ...{ partnerEmail: emailOf(slug), startedAt },
          ...(program !== null && { programId: history.programOf(program) }),
        })),
        options: { keepOwners },
      }),
  ),
  edited: step<{ program: number; terms: Terms }>('terms are edited', { program, terms }, (history, drawn) =>
    history.manage('PATCH', `/programs/${history.programOf(drawn.program)}`, changeOf(drawn.terms)),
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
          { selfReferrals: 'allow' },
        ],
      ),
    },
    (history, { program, change }) =>
      history.manage('PATCH', `/programs/${history.programOf(program)}`, change),
  ),
  moved: step<{ which: number; isIn: boolean }>(
    'a partner moves into its group or out of it',
    { which, isIn: fc.boolean() },
    withPartner((history, { id, programId }, { isIn }) =>
      history.manage('PATCH', `/partners/${id}`, { groupId: isIn ? history.groupOf(programId) : null }),
    ),
  ),
  banned: step<{ which: number; status: string }>(
    'a partner is banned or approved',
    { which, status: fc.constantFrom('banned', 'approved') },
    withPartner((history, { id }, { status }) => history.manage('PATCH', `/partners/${id}`, { status })),
  ),
  salesFrom: step<{ salesFrom: string }>(
    'others report sales from now on',
    { salesFrom: fc.constantFrom('both', 'stripe', 'api') },
    (history, change) => history.manage('PATCH', '/settings', change),
  ),
  cron: step('the cron runs', {}, (history) => history.cron()),
}
