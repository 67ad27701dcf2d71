// @module-tag sampled
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMerchant } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { signingSecret } from '../support/secrets.ts'
import { everyNth, SEEDS, timesOver } from '../support/thorough.ts'

const BODY_RUNS = timesOver({ quick: 25, thorough: 150, exhaustive: 5_000 })
/** Each sends a form and asks for a page. */
const FORM_RUNS = timesOver({ quick: 10, thorough: 50, exhaustive: 1_000 })

const reward = { kind: 'flat', amountCents: 500, currency: 'USD' }

/** Bodies that are taken, of which a part is replaced by anything at all. */
const BODIES = {
  '/programs': { name: 'A', siteUrl: 'https://shop.example', reward, rewardInterval: 'recurring' },
  '/programs/:program': { name: 'A', reward, rewardDurationMonths: 1, minimumPayoutCents: 1 },
  '/programs/:program/what-if': {
    reward,
    rewardDurationMonths: 1,
    attributionDays: 1,
    attribution: 'first',
  },
  '/programs/:program/brand': {
    logoUrl: 'https://shop.com/a.png',
    accentColor: '#1f5f4a',
    supportEmail: 'a@x.example',
    version: 0,
  },
  '/programs/:program/groups': { name: 'A', saleReward: reward, leadReward: reward },
  '/groups/:group': { name: 'A', saleReward: reward },
  '/groups/:group/what-if': { saleReward: reward, leadReward: null },
  '/members': { email: 'a@x.example', role: 'member' },
  '/members/:group': { role: 'member' },
  '/api-keys': { name: 'A' },
  '/settings': { manualPayouts: true },
  '/stripe/secrets': { secret: signingSecret() },
  '/payout-runs/:group': { status: 'paid' },
  '/payouts/:group/resolve': { outcome: 'sent', reason: 'Stripe says so.' },
  '/payout-runs/:group/resolve': { outcome: 'sent', reason: 'Stripe says so.', payoutIds: [] },
} as const

type Path = keyof typeof BODIES

const anything = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.bigInt().map(String),
)

const hostileBody = (path: Path) =>
  fc.oneof(
    fc.jsonValue(),
    fc
      .tuple(fc.constantFrom(...Object.keys(BODIES[path])), anything)
      .map(([field, value]) => ({ ...BODIES[path], [field]: value })),
    fc.tuple(fc.string(), anything).map(([field, value]) => ({ ...BODIES[path], [field]: value })),
  )

const paths = Object.keys(BODIES) as Path[]

test('no JSON body causes a 5xx', async () => {
  const merchant = await createMerchant({ group: {} })
  const as = await merchant.asManager()
  const { body } = await as.get(`/programs/${merchant.programId}/groups`)
  const group = (body as unknown as { data: { id: string }[] }).data[0]?.id ?? ''
  const fill = (path: Path) => path.replace(':program', merchant.programId).replace(':group', group)
  const calls = fc
    .constantFrom(...paths)
    .chain((path) =>
      fc.tuple(fc.constant(path), hostileBody(path), fc.constantFrom('post', 'patch', 'put')),
    )
  await fc.assert(
    fc.asyncProperty(calls, async ([path, value, method]) => {
      const { status } = await as[method](fill(path), value)
      expect(status).toBeLessThan(500)
    }),
    { seed: SEEDS[0], numRuns: BODY_RUNS },
  )
})

test('no form or query causes a 5xx page', async () => {
  const merchant = await createMerchant()
  const pages = await openPages(merchant)
  const names = [
    'name',
    'slug',
    'email',
    'role',
    'siteUrl',
    'logoUrl',
    'accentColor',
    'supportEmail',
    'brandVersion',
    'reward.kind',
    'reward.percent',
    'reward.amountCents',
    'secret',
    'manualPayouts',
  ]
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('percent', 'flat', '1e99', '\0', 'USD'),
  )
  const fields = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), text, {
    maxKeys: 6,
  })
  const forms = [
    '/programs/new',
    `/programs/${merchant.programId}`,
    `/programs/${merchant.programId}/branding`,
    '/members',
    '/api-keys',
    '/stripe',
    '/settings',
    '',
  ]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...forms), fields, text, async (path, form, code) => {
      // A lone half of a character can't be written into a form.
      const sent = Object.fromEntries(
        Object.entries(form).map((pair) => pair.map((part) => part.toWellFormed())),
      )
      expect((await pages.post(path, sent)).status).toBeLessThan(500)
      const query = new URLSearchParams({ done: code.toWellFormed(), cursor: code.toWellFormed() })
      expect((await pages.get(`${path}?${query}`)).status).toBeLessThan(500)
    }),
    { seed: SEEDS[0], numRuns: FORM_RUNS },
  )
})

/** What clumsy and hostile callers put into a query. */
const HOSTILE = [
  '%00',
  '%ED%A0%80',
  '%',
  '',
  '%20',
  'x'.repeat(4_000),
  "' or 1=1--",
  '🦊',
  '%F0%9F',
  '[]',
  '{}',
]

test.each(everyNth(2, ['partners', 'commissions', 'customers', 'events']))(
  'hostile query parameters of /%s never cause a 5xx',
  async (resource) => {
    const merchant = await createMerchant()
    const names = [
      'programId',
      'email',
      'slug',
      'groupId',
      'status',
      'query',
      'cursor',
      'limit',
      'partnerId',
    ]
    names.push('customerExternalId', 'eventId', 'kind', 'externalId', 'attributed')
    for (const name of names) {
      const answers = await Promise.all(
        HOSTILE.map((value) => merchant.get(`/${resource}?${name}=${value}`)),
      )
      for (const { status, body } of answers) {
        expect([200, 400]).toContain(status)
        if (status === 400) expect(body.error?.code).toBe('invalid_query')
      }
    }
  },
)
